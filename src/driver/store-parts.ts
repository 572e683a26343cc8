/** The parts of a store that its private values are in, from what a driver stores and a codec. */

import type { Codec } from '../store/codec.ts';
import type { ConsentStore } from '../store/consents/consent-store.ts';
import type { CredentialStore } from '../store/credentials/credential-store.ts';
import type { LimitStore } from '../store/limits/limit-store.ts';
import type { MessageBus } from '../store/nodes/message-bus.ts';
import type { OnceStore } from '../store/once/once-store.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { TaskStore } from '../store/tasks/task-store.ts';
import { type ConsentRows, consentsIn } from './credentials/consents.ts';
import { type CredentialRows, credentialsIn } from './credentials/credentials.ts';
import { encodedBus, encodedLimits, encodedOnce, encodedSessions } from './encoded-store.ts';
import { encodedTasks } from './encoded-tasks.ts';
import type { SharedStoreOptions } from './options.ts';

/** What a driver stores. Event logs are not here: their limits are those of the text, so a driver encodes them itself. */
export interface DriverParts {
  readonly sessions: SessionStore;
  readonly bus: MessageBus;
  readonly once: OnceStore;
  readonly limits: LimitStore;
  readonly consents: ConsentRows;
  readonly credentials: CredentialRows;
  readonly tasks: TaskStore;
}

export interface StoreParts extends Omit<DriverParts, 'consents' | 'credentials'> {
  readonly consents: ConsentStore;
  readonly credentials: CredentialStore;
}

export const storeParts = (
  driver: DriverParts,
  codec: Codec,
  { credentials = {} }: SharedStoreOptions,
  onError: (cause: unknown) => void,
): StoreParts => ({
  sessions: encodedSessions(driver.sessions, codec),
  bus: encodedBus(driver.bus, codec, onError),
  once: encodedOnce(driver.once, codec),
  limits: encodedLimits(driver.limits, codec),
  consents: consentsIn(driver.consents, codec),
  credentials: credentialsIn(driver.credentials, codec, credentials),
  tasks: encodedTasks(driver.tasks, codec),
});
