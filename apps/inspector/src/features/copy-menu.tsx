/** Copies a call in another form, and shows that it was copied. */
import { signal } from '@preact/signals';
import type { ClientInfo, RunRequest } from '../../../../src/inspector/api.ts';
import { Icon } from '../controls/icon.tsx';
import { Menu } from '../controls/menu.tsx';
import { copiesOf } from './copies.ts';

/** What was copied last, for the steps of the first minutes. */
export const copiedTitle = signal<string | undefined>(undefined);
/** Whether copying worked, as text. */
const status = signal('');
let clearing: ReturnType<typeof setTimeout> | undefined;

export async function copyText(title: string, text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  copiedTitle.value = title;
  status.value = `Copied as ${title}`;
  clearTimeout(clearing);
  clearing = setTimeout(() => (status.value = ''), 2000);
}

export function CopyMenu({ client, request }: { readonly client: ClientInfo; readonly request: RunRequest }) {
  const items = copiesOf(client, request).map(({ title, text }) => ({
    text: `Copy as ${title}`,
    onChoose: () => void copyText(title, text).catch(() => (status.value = 'The browser did not allow it')),
  }));
  return (
    <span class="copy">
      <span class="copied" role="status">
        {status.value}
      </span>
      <Menu label="Copy as" items={items} side="right" class="button quiet">
        <Icon name="copy" />
        <span>Copy as</span>
      </Menu>
    </span>
  );
}
