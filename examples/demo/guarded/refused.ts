/** Calls what the policy of the demo hides, refuses and allows, then verifies the audit log: `node --import tsx examples/demo/guarded/refused.ts URL FOLDER`. */
import { argv } from 'node:process';
import { connect, RpcError, toText } from 'tenon';
import { searchAudit, verifyAudit } from 'tenon/guard';

const [url = 'http://127.0.0.1:3000/mcp', folder] = argv.slice(2);
const client = await connect(url);
const tools = await client.tools.list().all();
console.log(`Tools: ${tools.map(({ name }) => name).join(', ')}`);

await attempt('write', { title: 'a', text: 'b' });
await attempt('weather', { city: 'Atlantis' });
await attempt('weather', { city: 'Rome' });
await client.close();

if (folder !== undefined) {
  const verified = await verifyAudit(folder);
  if (!verified.valid) throw new Error(`The audit log is not valid: ${JSON.stringify(verified)}`);
  console.log(`The audit log in ${folder} is valid: ${verified.records} records. The calls:`);
  for await (const { kind, what } of searchAudit(folder, { kinds: ['call-start', 'call-end'] }))
    console.log(`  ${kind} ${what?.tool ?? what?.outcome}`);
}

async function attempt(name: string, given: Record<string, unknown>): Promise<void> {
  const called = `${name} ${JSON.stringify(given)}`;
  try {
    console.log(`${called}: ${toText(await client.tools.call(name, given)).split('\n')[0]}`);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    console.log(`${called}: ${error.reason}, ${error.message}`);
    const { decisionId } = (error.data ?? {}) as { decisionId?: string };
    if (decisionId === undefined) return;
    const explained = await fetch(new URL(`/decisions/${decisionId}`, url));
    console.log(`  why: ${(await explained.text()).trim()}`);
  }
}
