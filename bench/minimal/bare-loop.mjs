/** The smallest loop on stdio: reads lines, writes answers, sessions only. `add` takes the arguments of the one tool. */
const newline = 10;

export function serve(add) {
  let held = [];
  process.stdin.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...held, chunk.subarray(start, end)]);
      held = [];
      start = end + 1;
      const response = answer(JSON.parse(line.toString('utf8')), add);
      if (response !== undefined) process.stdout.write(`${JSON.stringify(response)}\n`);
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
  });
}

function answer({ id, method, params }, add) {
  if (method === 'tools/call') {
    return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: add(params.arguments) }] } };
  }
  if (method !== 'initialize') return undefined;
  const serverInfo = { name: 'minimal', version: '1.0.0' };
  const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  return { jsonrpc: '2.0', id, result };
}
