/** Light, dark, or as the system has it. The choice is stored on this machine. */
import { effect, signal } from '@preact/signals';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const place = 'tenon-inspector-theme';

export const theme = signal<Theme>(themes.find((each) => each === globalThis.localStorage?.getItem(place)) ?? 'auto');

export const nextTheme = (): void => {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto';
};

export function followTheme(): void {
  effect(() => {
    localStorage.setItem(place, theme.value);
    if (theme.value === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
  });
}
