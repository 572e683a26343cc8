/** Responses are read completely, with any framing and chunking. Run with `node --test bench/http`. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { messageIn, readResponse } from './response.mjs';

const sized = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
const chunked = Buffer.from(
  'HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n',
);

for (const [what, bytes, status, body] of [
  ['with a length', sized, 200, '{}'],
  ['in chunks', chunked, 404, 'abc0123456789'],
]) {
  test(`a response ${what} is read when it is complete, and not before`, () => {
    const read = readResponse(bytes);
    deepEqual([read.status, read.body.toString()], [status, body]);
    for (let end = 0; end < bytes.length; end += 1) equal(readResponse(bytes.subarray(0, end)), undefined);
  });
}

test('a response without a length is refused', () => {
  throws(() => readResponse(Buffer.from('HTTP/1.1 200 OK\r\n\r\n{}')), /without a length/);
});

test('a message is found in JSON and in the last event of a stream', () => {
  deepEqual(messageIn('{"id":1}'), { id: 1 });
  deepEqual(messageIn('event: message\ndata: {"id":0}\n\nevent: message\nid: 7\ndata: {"id":1}\n\n'), { id: 1 });
  throws(() => messageIn(': nothing\n\n'), /no message/);
});
