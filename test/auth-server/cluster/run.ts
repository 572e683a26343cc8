/** One run from a seed: two nodes that kill themselves, and clients until so many have died. */
import { createRandom } from '../../kit/process/hostile-lines.ts';
import type { StoreAddress } from '../../kit/stores/open-at.ts';
import { runClient } from './client.ts';
import { checkHistory, type HistoryEvent, type Violation } from './history.ts';
import { startNodes } from './nodes.ts';

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

const clients = 4;

/** A start passes about 20 boundaries, a refresh about 30: a process dies at any moment from its start to its sixth request. */
const furthestBoundary = 200;

export async function runChaos({ program, address, seed, kills }: RunOptions): Promise<RunOutcome> {
  const random = createRandom(seed);
  const history: HistoryEvent[] = [];
  const keys = new Set<string>();
  const nodes = startNodes(program, address, () => 1 + Math.floor(random() * furthestBoundary));
  try {
    await Promise.all(
      Array.from({ length: clients }, (_, n) =>
        runClient(
          {
            subject: `github:${n}`,
            random: createRandom(seed * 100 + n),
            nodes,
            record: (event) => void history.push(event),
            seenKey: (kid) => void keys.add(kid),
          },
          () => {
            if (nodes.kills >= kills) nodes.calm();
            return nodes.kills >= kills;
          },
        ),
      ),
    );
    return { history, violations: checkHistory(history), keys, kills: nodes.kills, trouble: nodes.trouble() };
  } catch (cause) {
    throw new Error(`The run did not end: ${nodes.trouble().slice(-2000)}`, { cause });
  } finally {
    await nodes.close();
  }
}
