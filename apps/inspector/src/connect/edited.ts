/** The target that is being edited: of a client that failed, or of one whose process has ended. */
import { signal } from '@preact/signals';
import type { ApiConnectOptions, ApiTarget, ClientInfo } from '../../../../src/inspector/api.ts';
import { showPane } from '../state/panes.ts';
import { choose } from '../state/place.ts';
import { targetIn } from './target-text.ts';

/** What was chosen in the form. */
export interface Chosen {
  readonly target: ApiTarget;
  readonly options: ApiConnectOptions;
}

interface Edited {
  /** The client that the new one takes the place of. */
  readonly client: string;
  readonly chosen: Chosen;
  /** The field that has to be filled in. */
  readonly field: 'target' | 'pairs';
}

export const edited = signal<Edited | undefined>(undefined);

/** By client, what was typed in this tab: the backend does not return values that may be secret. */
const typed = new Map<string, Chosen>();

export const rememberTyped = (client: string, chosen: Chosen): void => void typed.set(client, chosen);

/** What a client is connected to, as the form can show it; none for what is in the memory of the program. */
function chosenOf({ id, target, shown, options }: ClientInfo): Chosen | undefined {
  const known = typed.get(id);
  if (known !== undefined) return known;
  if (target.kind === 'url' || target.kind === 'command') return { target, options };
  const text = target.kind === 'offered' && shown !== 'in memory' ? targetIn(shown) : undefined;
  return text && { target: text, options };
}

export const canEdit = (client: ClientInfo): boolean => chosenOf(client) !== undefined;

export function edit(client: ClientInfo, field: Edited['field'] = 'target'): void {
  const chosen = chosenOf(client);
  if (chosen === undefined) return;
  edited.value = { client: client.id, chosen, field };
  choose({ section: 'connect' });
  showPane('section');
}
