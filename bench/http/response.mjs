/** Reads one HTTP/1.1 response from the bytes of a connection, at low cost for the driver. */

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');

/** `{ status, body }` once it is complete, else undefined. Only one request is in flight, so nothing follows it. */
export function readResponse(bytes) {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return undefined;
  const head = bytes.latin1Slice(0, end);
  const status = Number(head.slice(9, 12));
  const start = end + headEnd.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const whole = start + Number(length);
    return bytes.length < whole ? undefined : { status, body: bytes.subarray(start, whole) };
  }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error(`a response without a length: ${head}`);
  const body = joinChunks(bytes, start);
  return body === undefined ? undefined : { status, body };
}

function joinChunks(bytes, from) {
  const pieces = [];
  let at = from;
  while (true) {
    const end = bytes.indexOf(lineEnd, at);
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.latin1Slice(at, end), 16);
    const start = end + lineEnd.length;
    at = start + size + lineEnd.length;
    if (bytes.length < at) return undefined;
    if (size === 0) return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    pieces.push(bytes.subarray(start, start + size));
  }
}

/** The message in a body: JSON, or the last event of a stream that has data. */
export function messageIn(text) {
  if (text.startsWith('{')) return JSON.parse(text);
  const data = text.split('\n').findLast((line) => line.startsWith('data: {'));
  if (data === undefined) throw new Error(`no message in ${JSON.stringify(text.slice(0, 500))}`);
  return JSON.parse(data.slice('data: '.length));
}
