// The first checks: can this browser run the benchmark at all, and if not, what can a person do?
//
// A classic script in the JavaScript of 2009, on purpose: the browsers that fail a check are the ones that would stumble over
// newer syntax. It needs neither modules nor WebAssembly. It leaves the private file system as it found it. How the checks look is
// in checks-view.js, and who is told when they fail in server.js; both are loaded before.
//
// It hands five functions to the page's module:
//   opfsBenchChecks.whenPassed(callback)              calls back once all checks have passed, never otherwise
//   opfsBenchChecks.fail(title, sentence, remedy)     shows one more thing that stands in the way
//   opfsBenchChecks.failures()                        the sentences of all that stands in the way
//   opfsBenchChecks.lacking()                         the sentences of all that it can do without
//   opfsBenchChecks.betterAddress()                   the https address of a page on an insecure one, or null
(function () {
  'use strict';

  // An answer takes milliseconds. A phone that has just woken up may need a second.
  var ANSWER_DEADLINE_MS = 10000;
  // The page's files and the Wasm module, over a slow network.
  var LOADING_DEADLINE_MS = 60000;

  var UPDATE = 'It takes Chrome or Edge 108, Firefox 114, Safari 16.4, or a newer version of one of them.';
  var RELOAD = "Reload the page. If it happens again, its server does not offer all of the page's files.";
  var CROWDED = 'Close other tabs of this site and reload the page. If it happens again, restart the browser.';

  var root = document.documentElement;
  root.setAttribute('data-state', 'checking');

  // In the order in which they are shown. An outcome is "passed", "lacking", "failed" or "skipped": what is lacking is told, and the
  // benchmark runs without it.
  var checks = [
    { id: 'secure', title: 'A secure address' },
    { id: 'webassembly', title: 'WebAssembly' },
    { id: 'modules', title: 'Modules in workers' },
    { id: 'opfs', title: 'The private file system (OPFS)' },
    { id: 'sync', title: 'Synchronous access handles' },
  ];
  var concluded = false;
  var waiting = [];
  var probe = null;
  var probeFile = null;
  var directory = null;
  var better = null;

  function find(id) {
    for (var i = 0; i < checks.length; i += 1) {
      if (checks[i].id === id) {
        return checks[i];
      }
    }
    return null;
  }

  // The first outcome of a check stands; what comes after its deadline is too late.
  function settle(id, outcome, sentence, remedy) {
    var check = find(id);
    if (check.outcome) {
      return;
    }
    check.outcome = outcome;
    check.sentence = sentence;
    check.remedy = remedy;
    if (id === 'modules' || id === 'opfs') {
      askForSyncHandle();
    }
    for (var i = 0; i < checks.length; i += 1) {
      if (!checks[i].outcome) {
        return;
      }
    }
    // Settling one check can settle the next, which then gets here first.
    if (!concluded) {
      concluded = true;
      conclude();
    }
  }

  function pass(id) {
    settle(id, 'passed');
  }
  function lack(id, sentence) {
    settle(id, 'lacking', sentence);
  }
  function fail(id, sentence, remedy) {
    settle(id, 'failed', sentence, remedy);
  }
  function skip(id) {
    settle(id, 'skipped');
  }

  function failAfterDeadline(id, sentence, remedy) {
    setTimeout(function () {
      fail(id, sentence, remedy);
    }, ANSWER_DEADLINE_MS);
  }

  // ---- The checks, one function each ----

  function checkSecureContext() {
    if (location.protocol === 'file:') {
      fail(
        'secure',
        'The page was opened as a file, and browsers give such a page no storage of its own.',
        'Serve it instead: run “cargo xtask serve” in the checkout, which also opens it.'
      );
    } else if (window.isSecureContext === false) {
      var port = location.port ? ':' + location.port : '';
      var rest = location.pathname + location.search + location.hash;
      better = 'https://' + location.host + rest;
      fail(
        'secure',
        'Browsers open the private file system only for secure addresses, and ' + location.protocol + '//' + location.host + ' is not one.',
        [
          'Open ',
          { href: better },
          ', where the server offers https: opfs-bench serve --lan does. On the device itself that serves this page, ',
          { href: 'http://localhost' + port + rest },
          ' will do.',
        ]
      );
    } else {
      pass('secure');
    }
  }

  function checkWebAssembly() {
    if (typeof WebAssembly !== 'object' || typeof WebAssembly.Module !== 'function') {
      fail(
        'webassembly',
        'This browser runs no WebAssembly.',
        'On an iPhone, iPad or Mac in Lockdown Mode, exclude this website from it: in Safari, the page menu beside the address, ' +
          'then Website Settings. Otherwise the browser is too old. ' +
          UPDATE
      );
      return;
    }
    try {
      // The smallest module: its magic number and its version.
      new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
      pass('webassembly');
    } catch (error) {
      fail(
        'webassembly',
        'WebAssembly is forbidden here (' + describe(error) + ').',
        "The page's server must allow it: its Content-Security-Policy needs script-src 'wasm-unsafe-eval'."
      );
    }
  }

  function checkModules() {
    if (location.protocol === 'file:') {
      // A page that was opened as a file may load no others.
      skip('modules');
      return;
    }
    if (!('noModule' in document.createElement('script')) || typeof Worker !== 'function') {
      fail('modules', 'This browser knows no JavaScript modules.', UPDATE);
      return;
    }
    // A browser without module workers never asks for the type.
    var asked = false;
    var options = Object.defineProperty({}, 'type', {
      get: function () {
        asked = true;
        return 'module';
      },
    });
    try {
      probe = new Worker('probe.js', options);
    } catch (error) {
      fail('modules', 'This browser could not start a worker (' + describe(error) + ').', asked ? RELOAD : UPDATE);
      return;
    }
    if (!asked) {
      fail('modules', 'This browser runs no modules in workers.', UPDATE);
      return;
    }
    probe.onmessage = function (event) {
      hearProbe(event.data);
    };
    probe.onerror = function (event) {
      event.preventDefault();
      fail('modules', 'The worker that tries the file system (probe.js) did not start.', RELOAD);
      fail('sync', 'The worker that tries the file system (probe.js) failed.', RELOAD);
    };
    failAfterDeadline('modules', 'A worker did not start within 10 s.', CROWDED);
  }

  function checkFileSystem() {
    if (find('secure').outcome !== 'passed') {
      skip('opfs');
      return;
    }
    if (!navigator.storage || typeof navigator.storage.getDirectory !== 'function') {
      fail('opfs', 'This browser has no Origin Private File System (navigator.storage.getDirectory).', UPDATE);
      return;
    }
    failAfterDeadline('opfs', 'The browser did not answer within 10 s when asked for its private file system.', CROWDED);
    try {
      navigator.storage.getDirectory().then(function (opened) {
        directory = opened;
        pass('opfs');
      }, failFileSystem);
    } catch (error) {
      failFileSystem(error);
    }
  }

  function failFileSystem(error) {
    if (error && error.name === 'SecurityError') {
      fail(
        'opfs',
        'The browser refuses its private file system here (SecurityError), as Firefox does in a private window.',
        'Open this address in a normal window. If this is one, let the site store data: cookies and site data must not be blocked for it.'
      );
    } else if (error && error.name === 'UnknownError') {
      fail(
        'opfs',
        'The private file system cannot be opened here (UnknownError), as in a private window of Safari.',
        'Open this address in a normal window. A WebKit browser that a program drives has no private file system either.'
      );
    } else {
      fail('opfs', 'The private file system cannot be opened (' + describe(error) + ').', CROWDED);
    }
  }

  // Only a real try counts: there are browsers that have the function and refuse to carry it out.
  function askForSyncHandle() {
    var modules = find('modules').outcome;
    var fileSystem = find('opfs').outcome;
    if (modules === 'passed' && fileSystem === 'passed') {
      probeFile = 'opfs-bench-probe-' + String(Math.random()).slice(2);
      failAfterDeadline('sync', 'The browser did not open a synchronous access handle within 10 s.', CROWDED);
      probe.postMessage({ file: probeFile });
    } else if (modules && fileSystem) {
      skip('sync');
    }
  }

  function hearProbe(message) {
    if (message.kind === 'started') {
      pass('modules');
    } else if (message.kind === 'passed') {
      pass('sync');
    } else {
      failSyncHandle(message);
    }
  }

  function failSyncHandle(problem) {
    var without = ' They are one side of the comparison: their rows will say that they are not in this browser.';
    if (problem.kind === 'missing') {
      lack('sync', 'This browser has no synchronous access handles (createSyncAccessHandle).' + without);
    } else if (problem.kind === 'asynchronous') {
      fail(
        'sync',
        "This browser's access handles are of an early kind whose methods are not synchronous, and none of the others can be compared with.",
        UPDATE
      );
    } else if (problem.name === 'NotSupportedError') {
      // Browsers made with WebKitGTK answer like this.
      lack('sync', 'This browser knows synchronous access handles but cannot open one (NotSupportedError).' + without);
    } else if (problem.name === 'QuotaExceededError') {
      fail(
        'sync',
        'The browser has no room for even a small file (QuotaExceededError).',
        'Free some storage on this device and reload the page.'
      );
    } else {
      fail('sync', 'A synchronous access handle could not be used (' + describe(problem) + ').', CROWDED);
    }
  }

  function describe(error) {
    return error && error.name ? error.name + (error.message ? ': ' + error.message : '') : String(error);
  }

  // ---- After the checks ----

  function conclude() {
    if (probe) {
      probe.terminate();
    }
    if (probeFile) {
      removeProbeFile(5);
    }
    if (passedAll()) {
      setTimeout(function () {
        if (root.getAttribute('data-state') === 'checking') {
          failMore('The rest of the page', 'The page has not finished loading within 60 s.', RELOAD);
        }
      }, LOADING_DEADLINE_MS);
      show();
      for (var i = 0; i < waiting.length; i += 1) {
        waiting[i]();
      }
      waiting = [];
    } else {
      becomeUnable();
    }
  }

  // The worker removes its file. This is for a worker that was ended first; a lock may outlive it for a moment.
  function removeProbeFile(tries) {
    directory.removeEntry(probeFile).then(
      function () {},
      function (error) {
        if (error.name !== 'NotFoundError' && tries > 1) {
          setTimeout(function () {
            removeProbeFile(tries - 1);
          }, 200);
        }
      }
    );
  }

  // Whoever leaves during the checks leaves no file behind. A page that comes back from the browser's page cache starts over.
  window.addEventListener('pagehide', function () {
    if (probeFile && !concluded) {
      probe.terminate();
      removeProbeFile(1);
    }
  });
  window.addEventListener('pageshow', function (event) {
    if (event.persisted && !concluded) {
      location.reload();
    }
  });

  function passedAll() {
    for (var i = 0; i < checks.length; i += 1) {
      if (checks[i].outcome !== 'passed' && checks[i].outcome !== 'lacking') {
        return false;
      }
    }
    return true;
  }

  function failMore(title, sentence, remedy) {
    checks.push({ id: 'more', title: title, outcome: 'failed', sentence: sentence, remedy: remedy });
    becomeUnable();
  }

  function sentences(outcome) {
    var found = [];
    for (var i = 0; i < checks.length; i += 1) {
      if (checks[i].outcome === outcome) {
        found.push(checks[i].sentence);
      }
    }
    return found;
  }

  function becomeUnable() {
    root.setAttribute('data-state', 'unable');
    show();
    window.opfsBenchServer.sendFailure(window.opfsBenchChecks.failures().join('\n'));
  }

  function show() {
    window.opfsBenchShowChecks(checks, root.getAttribute('data-state') !== 'unable');
  }

  // A module that is missing, or that this browser cannot read, tells nobody but the window.
  window.addEventListener(
    'error',
    function (event) {
      var script = event.target && event.target.tagName === 'SCRIPT' ? event.target.src : event.filename;
      var ours = script && script.indexOf(location.protocol + '//' + location.host + '/') === 0;
      if (ours && location.protocol !== 'file:' && root.getAttribute('data-state') === 'checking') {
        failMore(
          'The rest of the page',
          'A part of the page could not be loaded' + (event.message ? ' (' + event.message + ').' : '.'),
          RELOAD
        );
      }
    },
    true
  );

  window.opfsBenchChecks = {
    whenPassed: function (callback) {
      if (passedAll()) {
        callback();
      } else {
        waiting.push(callback);
      }
    },
    fail: failMore,
    failures: function () {
      return sentences('failed');
    },
    lacking: function () {
      return sentences('lacking');
    },
    betterAddress: function () {
      return better;
    },
  };

  checkSecureContext();
  checkWebAssembly();
  checkModules();
  checkFileSystem();
})();
