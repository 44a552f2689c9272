// Speaks to the server that the page came from, where that takes results: opfs-bench, which then puts a token into the address's fragment.
// Fragments are not sent with requests, so the token stands in no log.
//
// A classic script in the JavaScript of 2009, as checks.js is, which must be able to tell a program why nothing can be measured here:
//   opfsBenchServer.listens                    whether there is such a server
//   opfsBenchServer.token                      its token, or null
//   opfsBenchServer.sendResult(json, done)     done(error, name): an error in plain words or null, and the name that the result was saved as
//   opfsBenchServer.sendFailure(words)         why a run that was to begin by itself (?start) has no result; otherwise nothing is sent
//   opfsBenchServer.getJob(done)               done(error, toml): the job that the server wants measured
(function () {
  'use strict';

  // Of 16 MiB, the most that the server takes, over a slow network.
  var DEADLINE_MS = 90000;

  var token = /[#&]token=([0-9a-f]{32})(&|$)/.exec(location.hash);
  var byItself = /[?&]start(=|&|$)/.test(location.search);

  function ask(method, path, type, body, done) {
    var request = new XMLHttpRequest();
    request.open(method, path);
    request.timeout = DEADLINE_MS;
    request.setRequestHeader('Authorization', 'Bearer ' + token[1]);
    if (type) {
      request.setRequestHeader('Content-Type', type);
    }
    request.onload = function () {
      if (request.status === 200) {
        done(null, request.responseText);
      } else {
        done(errorOf(request), undefined);
      }
    };
    request.onerror = function () {
      done('the server does not answer: is it still running?', undefined);
    };
    request.ontimeout = function () {
      done('the server did not answer within ' + DEADLINE_MS / 1000 + ' s', undefined);
    };
    request.send(body);
  }

  function errorOf(request) {
    try {
      return String(JSON.parse(request.responseText).error);
    } catch (notJson) {
      return 'the server answered ' + request.status;
    }
  }

  window.opfsBenchServer = {
    listens: token !== null,
    token: token === null ? null : token[1],
    sendResult: function (json, done) {
      ask('POST', 'report', 'application/json', json, function (error, answer) {
        done(error, error === null ? JSON.parse(answer).saved : undefined);
      });
    },
    sendFailure: function (words) {
      if (token !== null && byItself) {
        ask('POST', 'failure', 'text/plain', words, function () {});
      }
    },
    getJob: function (done) {
      if (token === null) {
        done('the address lacks the token of its server', undefined);
      } else {
        ask('GET', 'job', null, null, done);
      }
    },
  };
})();
