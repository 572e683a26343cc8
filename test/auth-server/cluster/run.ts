/** One run from a seed: two nodes that kill themselves, and clients until so many have died. */
import { startDevAuthServer } from 'tenon/dev-auth';
import { redirectUri, userOf } from '../../kit/auth-server/sign-in-server.ts';
import { createRandom } from '../../kit/process/hostile-lines.ts';
import type { StoreAddress } from '../../kit/stores/open-at.ts';
import { runClient } from './client.ts';
import { providerClient } from './fixtures/settings.ts';
import { checkHistory, type HistoryEvent, type Violation } from './history.ts';
import { type Nodes, startNodes } from './nodes.ts';

export interface RunOptions {
  readonly program: string;
  readonly address: StoreAddress;
  readonly seed: number;
  /** How many processes die. */
  readonly kills: number;
}

export interface RunOutcome {
  readonly history: readonly HistoryEvent[];
  readonly violations: readonly Violation[];
  /** The signing keys of the access tokens. */
  readonly keys: ReadonlySet<string>;
  readonly kills: number;
  readonly trouble: string;
}

const users = ['ada', 'grace', 'alan', 'edsger'];

/** What browsers and clients know both nodes as. Requests go to either. */
const issuer = 'http://127.0.0.1:8765';

/** A refresh passes about 30 boundaries, a sign-in about 60: a process dies at any moment of its first sign-ins and refreshes. */
const furthestBoundary = 300;

export async function runChaos({ program, address, seed, kills }: RunOptions): Promise<RunOutcome> {
  const random = createRandom(seed);
  const history: HistoryEvent[] = [];
  const keys = new Set<string>();
  const provider = await startDevAuthServer({
    onAnnounce: () => {},
    users: Object.fromEntries(users.map((user) => [user, {}])),
    clients: [{ ...providerClient, redirect_uris: [`${issuer}/callback`] }],
  });
  const settings = { address, issuer, provider: provider.issuer };
  let started = 0;
  const nodes = startNodes(program, settings, () =>
    // The first two die before and after they refresh tokens at the provider.
    ++started <= 2
      ? { killAt: 0, killAtRefresh: started }
      : { killAt: 1 + Math.floor(random() * furthestBoundary), killAtRefresh: 0 },
  );
  const isOver = (): boolean => {
    if (nodes.kills >= kills) nodes.calm();
    return nodes.kills >= kills;
  };
  try {
    const client = await registered(nodes);
    const visit = userOf(issuer, provider);
    const common = { client, visit, nodes, record: (event: HistoryEvent) => void history.push(event) };
    const runs = users.map((user, n) => {
      const own = { user, random: createRandom(seed * 100 + n), seenKey: (kid: string) => void keys.add(kid) };
      return runClient({ ...common, ...own }, isOver);
    });
    await Promise.all(runs);
    return { history, violations: checkHistory(history), keys, kills: nodes.kills, trouble: nodes.trouble() };
  } catch (cause) {
    throw new Error(`The run did not end: ${nodes.trouble().slice(-2000)}`, { cause });
  } finally {
    await nodes.close();
    await provider.close();
  }
}

/** One client for all: its ID is its registration, which no node stores. */
async function registered(nodes: Nodes): Promise<string> {
  const metadata = { client_name: 'Editor', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' };
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(metadata) };
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(`${await nodes.url(attempt % 2)}/register`, init);
      const { client_id: id } = (await response.json()) as { readonly client_id?: string };
      if (id !== undefined) return id;
    } catch (error) {
      if (attempt === 20) throw error;
    }
  }
}
