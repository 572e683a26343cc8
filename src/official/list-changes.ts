/** Serves the lists of an instance again when it says that they have changed. */
import type { Server } from '../server/server.ts';
import type { BridgedFeatures, FeatureMaker } from './features.ts';
import { readLists } from './lists.ts';
import type { OpenedInstance } from './open-instance.ts';

export interface ListFollower {
  /** Whether a notification is about a list. */
  receives(method: string): boolean;
  /** Reads the lists, once more if they change meanwhile. */
  changed(): void;
}

export function followLists(
  { instance, initialized }: OpenedInstance,
  maker: FeatureMaker,
  server: Server,
  dropped: (method: string, reason: string) => void,
): ListFollower {
  let isReading = false;
  let isStale = false;
  const read = async (): Promise<void> => {
    while (isStale && !instance.isClosed) {
      isStale = false;
      const features = maker.make(await readLists(instance, initialized.capabilities));
      server.update((draft) => {
        for (const kind of kinds) replaceAll(draft[kind] as Record<string, unknown>, features[kind]);
      });
    }
  };
  return {
    receives: (method) => method.endsWith('/list_changed'),
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

function replaceAll(draft: Record<string, unknown>, next: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(draft)) if (!Object.hasOwn(next, name)) delete draft[name];
  Object.assign(draft, next);
}
