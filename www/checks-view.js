// Shows the first checks. A classic script in the JavaScript of 2009, for the same reason as checks.js, which calls it.
(function () {
  'use strict';

  var WORDS = { passed: 'yes', lacking: 'no', failed: 'no', skipped: 'not tried' };

  // Fills the page with checks, each {title, outcome, sentence, remedy}. A remedy is text, or a list of texts and {href: address}.
  window.opfsBenchShowChecks = function (checks, able) {
    whenDocumentIsParsed(function () {
      show(checks, able);
    });
  };

  function show(checks, able) {
    var place = document.getElementById('checks');
    while (place.firstChild) {
      place.removeChild(place.firstChild);
    }
    var list = element('ul');
    for (var i = 0; i < checks.length; i += 1) {
      list.appendChild(row(checks[i]));
      if (checks[i].outcome === 'failed') {
        place.appendChild(card(checks[i]));
      }
    }
    place.appendChild(element('details', '', [element('summary', '', able ? 'This browser can run it' : 'All checks'), list]));
    if (!able) {
      document.getElementById('status').textContent = 'The benchmark cannot run here yet.';
    }
  }

  function row(check) {
    var outcome = check.outcome || 'skipped';
    return element('li', 'check-' + outcome, [element('span', '', check.title), element('span', 'check-outcome', WORDS[outcome])]);
  }

  function card(check) {
    return element('div', 'card', [
      element('h2', '', check.title),
      element('p', '', check.sentence),
      element('p', '', [element('strong', '', 'What helps: ')].concat(check.remedy)),
    ]);
  }

  function element(name, className, content) {
    var made = document.createElement(name);
    if (className) {
      made.className = className;
    }
    var parts = [].concat(content || []);
    for (var i = 0; i < parts.length; i += 1) {
      made.appendChild(node(parts[i]));
    }
    return made;
  }

  function node(part) {
    if (typeof part === 'string') {
      return document.createTextNode(part);
    }
    if (part.nodeType) {
      return part;
    }
    var link = element('a', '', part.href);
    link.href = part.href;
    return link;
  }

  function whenDocumentIsParsed(callback) {
    if (document.readyState === 'loading') {
      document.addEventListener('DOMContentLoaded', callback);
    } else {
      callback();
    }
  }
})();
