/** How arguments are shown: the same for all items. */
import { signal } from '@preact/signals';

export const argumentsLook = signal<'form' | 'json' | 'schema'>('form');
