/** Arguments that are being filled in, of each item: they stay while another item is shown, and are the same for all clients. */
import { signal } from '@preact/signals';

export interface Draft {
  readonly value: unknown;
  /** The text of the JSON editor, where it is not the value as it would be written. */
  readonly shown?: string;
  /** The text of the JSON editor while it is no JSON. The value is the last that was. */
  readonly text?: string;
}

const drafts = signal<Readonly<Record<string, Draft>>>({});

export const draftOf = (key: string): Draft | undefined => drafts.value[key];

export const setDraft = (key: string, draft: Draft): void => {
  drafts.value = { ...drafts.peek(), [key]: draft };
};
