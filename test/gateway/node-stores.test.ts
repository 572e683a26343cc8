/** Gateways that share a store of each engine: the answer to a call may reach the other one. */
import { expect, it, onTestFinished } from 'vitest';
import { enginesHere } from '../kit/stores/engines.ts';
import { openAt } from '../kit/stores/open-at.ts';
import { served } from './start.ts';
import { accept, askedAt, askingServer, type Node, roundAt, startNode } from './two-nodes.ts';

it.each(enginesHere)(
  'Two gateways on %s continue a call of each other, which the upstream runs once',
  async (_label, engine) => {
    const started = await engine.start();
    onTestFinished(() => started.close());
    const address = started.next();
    const begun: string[] = [];
    const upstream = await served(askingServer(begun));
    const start = async (): Promise<Node> => {
      const store = await openAt(address);
      onTestFinished(() => store.close());
      return startNode(upstream, store);
    };
    const [a, b] = [await start(), await start()];
    const next = await askedAt(b, 'greet', { after: await askedAt(a, 'greet') });
    const last = await roundAt(b, 'greet', { after: next, answer: accept('Bob') });
    expect(JSON.stringify(last)).toMatch(/Ada.*Bob/);
    expect(begun).toEqual(['greet']);
  },
);
