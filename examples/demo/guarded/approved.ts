/** A call that waits for a second person, who approves it: `PASSWORD=… node --import tsx examples/demo/guarded/approved.ts URL FOLDER`. */
import { argv, env } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { connect, RpcError, toText } from 'tenon';
import { searchAudit, verifyAudit } from 'tenon/guard';

const [url = 'http://127.0.0.1:3000/mcp', folder] = argv.slice(2);
const page = new URL('/approvals', url);
const headers = {
  authorization: `Basic ${Buffer.from(`grace:${env.PASSWORD ?? ''}`).toString('base64')}`,
  'content-type': 'application/json',
};

const caller = await connect(url, {
  handlers: { elicitForm: () => ({ action: 'accept', content: { people: 2 } }) },
});
await book('approve');
await book('deny');
await caller.close();

if (folder !== undefined) {
  const verified = await verifyAudit(folder);
  if (!verified.valid) throw new Error(`The audit log is not valid: ${JSON.stringify(verified)}`);
  console.log(`The audit log in ${folder} is valid: ${verified.records} records. Approvals and calls:`);
  const kinds = ['approval-requested', 'approval-decided', 'approval-used', 'call-start'] as const;
  for await (const { kind, who, what, decision } of searchAudit(folder, { kinds }))
    console.log(`  ${[kind, what?.approval, decision?.outcome, who?.subject].filter(Boolean).join(' ')}`);
}

/** The caller books, and the second person decides about exactly this call. */
async function book(decision: 'approve' | 'deny'): Promise<void> {
  const booking = caller.tools.call(
    'book',
    { city: 'Oslo' },
    { onProgress: ({ message = '' }) => console.log(message) },
  );
  const decided = decide(decision);
  try {
    console.log(`book {"city":"Oslo"}: ${toText(await booking)}`);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    console.log(`book {"city":"Oslo"}: ${error.reason}, ${error.message}`);
  }
  await decided;
}

async function decide(decision: 'approve' | 'deny'): Promise<void> {
  for (;;) {
    const listed = await fetch(page, { headers });
    if (!listed.ok) throw new Error(`The list of approvals: ${listed.status}`);
    const { approvals } = (await listed.json()) as { approvals: { id: string; arguments: object; tool: string }[] };
    const [waiting] = approvals;
    if (waiting === undefined) {
      await setTimeout(100);
      continue;
    }
    console.log(`grace reads: ${waiting.tool} ${JSON.stringify(waiting.arguments)}, and decides: ${decision}`);
    await fetch(`${page}/${waiting.id}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ decision, reason: 'As agreed' }),
    });
    return;
  }
}
