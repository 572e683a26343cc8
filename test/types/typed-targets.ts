/** Targets of connect(): a misspelt field of a target is a compile error. */
import { connect, createClient, createServer } from 'tenon';

export async function targets(): Promise<void> {
  await connect({ command: 'node', args: ['server.js'], stderr: 'ignore' });
  await connect({ url: 'https://example.com/mcp', headers: { authorization: 'Bearer x' } });
  await connect(createServer({ name: 's', version: '1' }));
  await connect<{ readonly features: { readonly tools: Record<never, never> } }>('https://example.com/mcp');

  // @ts-expect-error it is args
  await connect({ command: 'node', arg: ['server.js'] });
  // @ts-expect-error it is headers
  await connect({ url: 'https://example.com/mcp', header: {} });
  // @ts-expect-error it is args
  createClient({ command: 'node', arg: ['server.js'] });
  // @ts-expect-error there is nothing to connect to
  await connect({});
}
