/** Tabs that find the inspector again after a restart. Both sides prove that they know the secret of the tab; neither sends it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TabCredentials } from '../api.ts';
import { InspectorError } from '../api-error.ts';
import type { TabsFile } from './tabs-file.ts';

/** The sides of a proof, and what makes it worthless anywhere else: the origin, the tab, and a number that is used once. */
interface Proved {
  readonly side: 'process' | 'tab';
  readonly origin: string;
  readonly tab: string;
  readonly challenge: string;
}

/**
 * How long a tab can enter a process that was started again.
 * @limit inspector
 * @beyond it asks for the new link
 * @code wrong-key
 */
const maxAgeMs = 7 * 24 * 60 * 60_000;

/**
 * How long a tab may take to prove what it is.
 * @limit inspector
 * @beyond it asks for the new link
 * @code wrong-key
 */
const challengeMs = 60_000;

/**
 * Tabs that are about to prove what they are.
 * @limit inspector
 * @beyond the oldest asks for the new link
 * @code wrong-key
 */
const maxChallenges = 100;

const form = /^[\w.-]{1,100}$/;

export class Tabs {
  readonly #file: TabsFile;
  readonly #now: () => number;
  /** Challenges that were given out, with their tab. */
  readonly #open = new Map<string, { readonly tab: string; readonly until: number }>();

  constructor(file: TabsFile, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  /** For a tab that has entered. */
  async issue(): Promise<TabCredentials> {
    const id = `${this.#now().toString(36)}.${randomBytes(16).toString('base64url')}`;
    return { id, secret: await this.#secretOf(id) };
  }

  /** Proves to a tab that this process has the same file. Before that, the tab reveals nothing. */
  async greet(tab: string, challenge: string, origin: string): Promise<{ proof: string; challenge: string }> {
    const own = randomBytes(16).toString('base64url');
    const proof = proofOf(await this.#secretOf(tab), { side: 'process', origin, tab, challenge });
    this.#open.set(own, { tab, until: this.#now() + challengeMs });
    const [oldest = own] = this.#open.keys();
    if (this.#open.size > maxChallenges) this.#open.delete(oldest);
    return { proof, challenge: own };
  }

  /** Throws `wrong-key` unless the tab proves that it has its secret. */
  async check(tab: string, challenge: string, proof: string, origin: string): Promise<void> {
    const open = this.#open.get(challenge);
    this.#open.delete(challenge);
    const wanted = Buffer.from(proofOf(await this.#secretOf(tab), { side: 'tab', origin, tab, challenge }));
    const given = Buffer.from(proof);
    const isProved = given.length === wanted.length && timingSafeEqual(given, wanted);
    if (open?.tab !== tab || open.until < this.#now() || !isProved) throw wrongTab();
  }

  /** Throws `wrong-key` for a tab that was never issued, or too long ago. */
  async #secretOf(tab: string): Promise<string> {
    const issuedAt = Number.parseInt(tab.split('.')[0] ?? '', 36);
    const age = this.#now() - issuedAt;
    if (!form.test(tab) || !(age >= 0 && age <= maxAgeMs)) throw wrongTab();
    return createHmac('sha256', await this.#file.secret())
      .update(`tab ${tab}`)
      .digest('base64url');
  }
}

/** The page computes the same. */
const proofOf = (secret: string, { side, origin, tab, challenge }: Proved): string =>
  createHmac('sha256', secret).update([side, origin, tab, challenge].join(' ')).digest('base64url');

const wrongTab = (): InspectorError =>
  new InspectorError('wrong-key', 'This tab cannot enter again.', 'Open the link that was printed at the start.');
