/** Servers without any library, as source text for `node -e`: they do one thing wrong, or report what they received. */
import type { CommandTarget } from 'tenon';

export const program = (script: string, more: Partial<CommandTarget> = {}): CommandTarget => ({
  command: process.execPath,
  stderr: 'ignore',
  exitTimeoutMs: 2000,
  ...more,
  args: ['-e', script, '--', ...(more.args ?? [])],
});

/** Answers the handshake, then runs the script for each request. The script may use `message`, `reply` and `print`. */
export const rawServerScript = (script: string, before = ''): string => `
  const print = (text) => process.stdout.write(text + '\\n');
  ${before};
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    const answer = (body) => print(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
    const reply = (text) => answer({ result: { content: [{ type: 'text', text }] } });
    const serverInfo = { name: 'by hand', version: '1' };
    const greeting = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    if (message.method === 'initialize') return answer({ result: greeting });
    if (message.method === 'server/discover') return answer({ error: { code: -32601, message: 'Unknown method' } });
    if (message.id !== undefined) { ${script} }
  });
`;

/** Does nothing and keeps running. */
export const staying = 'setInterval(() => {}, 1000)';
