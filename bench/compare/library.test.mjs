/** The adapter gives each library the names of its commit. Run with `node --test bench/compare`. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { adapt } from './library.mjs';

/** A library that records what it is given. */
function recording(own) {
  const calls = {};
  const record =
    (name) =>
    (...given) => {
      calls[name] = given;
      return given;
    };
  return {
    calls,
    ...Object.fromEntries(['tool', 'createServer', 'serveHttp', 'connect'].map((name) => [name, record(name)])),
    ...own,
  };
}

const add = { name: 'add', description: 'Adds', schema: 'a schema', run: () => '3' };

for (const [when, own, schema, revisions, sessions, call] of [
  ['today', { toolResult() {} }, 'inputSchema', 'protocolVersions', [{}, false], { ctx: { meta: {} } }],
  ['before', {}, 'input', 'revisions', [true, false], { context: { meta: {} } }],
]) {
  test(`a library of ${when} gets its own names`, async () => {
    const library = recording(own);
    const adapted = adapt(library);
    adapted.createServer([add]);
    deepEqual(library.calls.tool, [{ description: 'Adds', [schema]: 'a schema' }, add.run]);
    adapted.connect('target', 'a version');
    deepEqual(library.calls.connect, ['target', { [revisions]: ['a version'] }]);
    adapted.serveHttp('server', true);
    deepEqual(library.calls.serveHttp, ['server', { port: 0, sessions: sessions[0] }]);
    adapted.serveHttp('server', false);
    deepEqual(library.calls.serveHttp, ['server', { port: 0, sessions: sessions[1] }]);
  });

  test(`a middleware of ${when} finds the trace context of a call`, async () => {
    const library = recording(own);
    adapt(library).createEverything([add]);
    const [, { middleware }] = library.calls.createServer;
    const [context] = Object.values(call);
    context.meta.traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    equal(await middleware[0](call, () => 'the result'), 'the result');
  });
}
