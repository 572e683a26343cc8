/** Serves the lists of an instance again when it says that they have changed. */
import type { Server } from '../../server/server.ts';
import { readLists } from '../instance/lists.ts';
import type { OpenedInstance } from '../instance/open-instance.ts';
import type { BridgedFeatures, FeatureMaker } from './features.ts';

/** A server, and the features that the bridge has put in it. */
export interface BridgedServer {
  readonly server: Server;
  readonly features: BridgedFeatures;
}

export interface ListFollower {
  /** Reads the lists, once more if they change meanwhile. */
  changed(): void;
}

/** Whether a notification is about a list. */
export const isListChange = (method: string): boolean => method.endsWith('/list_changed');

export function followLists(
  { instance, initialized }: OpenedInstance,
  maker: FeatureMaker,
  { server, features }: BridgedServer,
  dropped: (method: string, reason: string) => void,
): ListFollower {
  let served = features;
  let isReading = false;
  let isStale = false;
  const read = async (): Promise<void> => {
    while (isStale && !instance.isClosed) {
      isStale = false;
      const next = maker.make(await readLists(instance, initialized.capabilities));
      server.update((draft) => {
        for (const kind of kinds) replaceAll(draft[kind] as Definitions, served[kind], next[kind]);
      });
      served = next;
    }
  };
  return {
    changed() {
      isStale = true;
      if (isReading) return;
      isReading = true;
      read()
        .catch((error: Error) => dropped('list_changed', error.message))
        .finally(() => {
          isReading = false;
        });
    },
  };
}

const kinds = [
  'tools',
  'resources',
  'resourceTemplates',
  'prompts',
] as const satisfies readonly (keyof BridgedFeatures)[];

type Definitions = Record<string, unknown>;

/** Definitions that the owner of the server has added or changed stay, unless the instance changes them. */
function replaceAll(draft: Definitions, served: Readonly<Definitions>, next: Readonly<Definitions>): void {
  for (const name of Object.keys(served)) if (!Object.hasOwn(next, name)) delete draft[name];
  for (const [name, definition] of Object.entries(next)) if (served[name] !== definition) draft[name] = definition;
}
