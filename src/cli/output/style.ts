/** Bold, dim and colored text, where the terminal has colors. */
import { styleText } from 'node:util';
import type { Io } from '../io/io.ts';

export interface Style {
  title(text: string): string;
  dim(text: string): string;
  bad(text: string): string;
  good(text: string): string;
}

export function styleFor({ hasColor }: Pick<Io, 'hasColor'>): Style {
  const styled =
    (format: Parameters<typeof styleText>[0]) =>
    (text: string): string =>
      hasColor ? styleText(format, text, { validateStream: false }) : text;
  return { title: styled('bold'), dim: styled('dim'), bad: styled('red'), good: styled('green') };
}
