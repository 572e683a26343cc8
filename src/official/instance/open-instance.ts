/** Creates a server of the official SDK and connects it. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import type { Deadlines } from '../../lib/time/deadlines.ts';
import { createDeferred } from '../../lib/values/deferred.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { isOfficialServer } from '../../ports/official-server.ts';
import type { OfficialServer } from '../types.ts';
import { Instance, type InstancePorts, type Introduction } from './instance.ts';

/**
 * How long a server of the official SDK may take until it is created and initialized, and until it has listed everything.
 * @limit official
 * @beyond the call fails, or `fromOfficial()` rejects
 * @code instance-failed
 */
const openWithinMs = 30_000;

/** What the instance answered to `initialize`. */
export interface Initialized {
  readonly info: Fields;
  readonly capabilities: Fields;
  readonly instructions: string | undefined;
}

/** Gets an instance while it opens. */
export interface Opening {
  created(instance: Instance): void;
  onInitialized(initialized: Initialized): void;
}

/** The client of the instance whose lists the server begins with: it supports everything, so that nothing is left out. */
export const allCapabilities: Introduction = {
  clientInfo: { name: 'tenon', version: '1' },
  capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } },
};

export async function openInstance(
  create: () => OfficialServer | Promise<OfficialServer>,
  introduction: Introduction,
  ports: InstancePorts,
  opened: Opening,
): Promise<void> {
  let instance: Instance | undefined;
  let isLate = false;
  const opening = async (): Promise<void> => {
    const server = await create();
    if (!isOfficialServer(server)) throw new TypeError('the function returned no server with connect() and close()');
    // One that is created after its call has failed is never used.
    if (isLate) return await closed(server);
    instance = new Instance(server, ports);
    opened.created(instance);
    opened.onInitialized(readInitialized(await instance.open(introduction)));
  };
  try {
    await inTime(ports.deadlines, 'initialized', opening());
  } catch (cause) {
    isLate = true;
    instance?.close();
    throw notOpened(cause);
  }
}

/** Rejects if the server is not `done` in time. */
export async function inTime<T>(deadlines: Deadlines, done: string, work: Promise<T>): Promise<T> {
  const late = createDeferred<never>();
  const deadline = deadlines.add(openWithinMs, () => late.reject(new Error(`not ${done} in ${openWithinMs} ms`)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    deadlines.cancel(deadline);
  }
}

/** Nothing waits for it any more. */
async function closed(server: OfficialServer): Promise<never> {
  await server.close();
  throw new Error('it was created too late');
}

const readInitialized = ({ serverInfo, capabilities, instructions }: Fields): Initialized => ({
  info: isRecord(serverInfo) ? serverInfo : {},
  capabilities: isRecord(capabilities) ? capabilities : {},
  instructions: typeof instructions === 'string' ? instructions : undefined,
});

export function notOpened(cause: unknown): TenonError {
  const reason = (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
  return new TenonError('instance-failed', `The server behind the bridge could not be used: ${reason}.`, {
    hint: 'The function must return a new server, which is not connected, each time.',
    cause,
  });
}
