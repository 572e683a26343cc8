/** The errors of a path root. They show the path of the caller, never the location of the root or the target of a link. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { shorten } from '../../schema/issues.ts';

const maxShown = 100;

/** The path as a person may read it: one line, bounded. */
const shownPath = (path: string): string => JSON.stringify(shorten(path, maxShown));

export const pathNotAllowed = (path: string, problem: string, hint: string): TenonError =>
  new TenonError('path-not-allowed', `The path ${shownPath(path)} ${problem}.`, { hint, details: { problem } });

export const fileNotFound = (path: string): TenonError =>
  new TenonError('file-not-found', `There is no file ${shownPath(path)} in the root.`, {
    hint: 'List the files of the root, and give one of them.',
  });

export const fileTooLarge = (path: string, size: number, maxBytes: number): TenonError =>
  new TenonError('file-too-large', `The file ${shownPath(path)} has ${size} bytes, over the limit of ${maxBytes}.`, {
    hint: 'Read a smaller file, or raise maxFileBytes of createPathRoot().',
    details: { size, maxBytes },
  });
