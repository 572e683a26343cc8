/** `tenon get`: gets the messages of a prompt. */
import { sendRequest } from '../../answers/send-request.ts';
import type { RunCommand } from '../../io/command.ts';

export const run: RunCommand = (given) => sendRequest(given, 'get');
