/** The calls that wait for answers: one file for each, which only this user can read. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Fields } from '../../lib/values/is.ts';
import { defaultFolder } from '../../node/credentials/credentials-folder.ts';
import {
  deletePrivateFile,
  openPrivateFolder,
  readPrivateFile,
  replacePrivateFile,
} from '../../node/credentials/private-folder.ts';
import type { Pending, Question } from '../io/command.ts';
import type { Io } from '../io/io.ts';
import type { UrlTarget } from '../target/open-client.ts';
import { unknownName } from '../usage-error.ts';

/**
 * Time to answer a question, to sign in, and to fetch a result that was not waited for. A server of Tenon accepts the
 * state of a call as long.
 * @limit command line
 * @beyond the call is cancelled and forgotten
 * @code invalid-argument
 */
export const answerMs = 15 * 60_000;

/**
 * Calls that wait for answers.
 * @limit command line
 * @beyond the call fails
 * @code store-failed
 */
export const maxPending = 100;

/** A call that any process can continue, with the request state of its server. */
export interface WaitingRound {
  readonly kind: 'round';
  readonly target: UrlTarget;
  readonly method: string;
  readonly params: Fields;
  readonly state?: string | undefined;
  /** The answers so far. */
  readonly answers: Readonly<Record<string, Fields>>;
}

/** A task that requires input. */
export interface WaitingTask {
  readonly kind: 'task';
  readonly target: UrlTarget;
  readonly taskId: string;
  /** The answers that were not sent yet. */
  readonly answers: Readonly<Record<string, Fields>>;
  /** The keys of the answers that were sent: the server may list their questions once more. */
  readonly answered: readonly string[];
}

/** A call that another process holds open. */
export interface HeldByKeeper {
  readonly kind: 'keeper';
  readonly socket: string;
}

export interface PendingCall {
  readonly id: string;
  /** What was typed, to be shown; without options, which may have secrets. */
  readonly shown: string;
  /** When it ends, in milliseconds since 1970. */
  readonly expires: number;
  readonly questions: readonly Question[];
  readonly continuation: WaitingRound | WaitingTask | HeldByKeeper;
}

export const newId = (): string => randomBytes(5).toString('hex');

export const asPending = ({ id, questions, expires }: PendingCall): Pending => ({
  id,
  questions,
  expires: new Date(expires).toISOString(),
});

/** Without options: their values may be secrets. */
export const shownCommand = (typed: readonly string[]): string => {
  const options = typed.findIndex((word) => word.startsWith('-') && word !== '--');
  return ['tenon', ...(options === -1 ? typed : typed.slice(0, options))].join(' ');
};

export class PendingCalls {
  readonly #folder: string;
  readonly #now: () => number;

  constructor({ env, now }: Pick<Io, 'env' | 'now'>) {
    this.#folder = defaultFolder('pending', env);
    this.#now = now;
  }

  /** The calls that can still be answered, the oldest first. Expired ones are deleted. */
  async list(): Promise<PendingCall[]> {
    await openPrivateFolder(this.#folder);
    const found: PendingCall[] = [];
    for (const name of await readdir(this.#folder)) {
      const [, id] = /^([a-z\d]+)\.json$/.exec(name) ?? [];
      const call = id === undefined ? undefined : await this.#read(id);
      if (call !== undefined) found.push(call);
    }
    return found.sort((a, b) => a.expires - b.expires);
  }

  /** Throws with the nearest id if there is none. */
  async find(id: string): Promise<PendingCall> {
    await openPrivateFolder(this.#folder);
    const call = /^[a-z\d]+$/.test(id) ? await this.#read(id) : undefined;
    if (call !== undefined) return call;
    const ids = (await this.list()).map((one) => one.id);
    throw unknownName('call that waits as', id, ids, 'It was answered, or its time has passed: call again.');
  }

  async write(call: PendingCall): Promise<void> {
    await openPrivateFolder(this.#folder);
    const others = (await this.list()).filter(({ id }) => id !== call.id);
    if (others.length >= maxPending) throw tooMany();
    await replacePrivateFile(this.#pathOf(call.id), `${JSON.stringify(call)}\n`);
  }

  /** A call without questions was never stored: then the folder may not exist. */
  async delete(id: string): Promise<void> {
    const path = this.#pathOf(id);
    if (existsSync(path)) await deletePrivateFile(path);
  }

  async #read(id: string): Promise<PendingCall | undefined> {
    const text = await readPrivateFile(this.#pathOf(id));
    if (text === undefined) return undefined;
    const call = parsed(text);
    if (call !== undefined && call.expires > this.#now()) return call;
    await this.delete(id);
    return undefined;
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

function parsed(text: string): PendingCall | undefined {
  try {
    return JSON.parse(text) as PendingCall;
  } catch {
    return undefined;
  }
}

const tooMany = (): TenonError =>
  new TenonError('store-failed', `${maxPending} calls wait for answers already.`, {
    hint: 'See them with tenon answer, and decline those that will not be answered.',
  });
