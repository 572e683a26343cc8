/** The file of `--answers`: what is answered to the questions of a server, in order or by their messages. */
import type { ClientHandlers } from '../../client/answers/handlers.ts';
import type { TenonError } from '../../lib/errors/tenon-error.ts';
import { checkOptions } from '../../lib/options/option-rules.ts';
import { isRecord } from '../../lib/values/is.ts';
import { scriptedHandlers } from '../../test/script.table.ts';
import { playScript } from '../../test/script.ts';
import { readTextFile } from '../input/read-file.ts';
import { usageError } from '../usage-error.ts';

/** `onMissing` gets the error for a question that the file has no answer to. */
export async function handlersInFile(
  path: string,
  cwd: string,
  onMissing: (error: TenonError) => void,
): Promise<ClientHandlers> {
  const script = parsed(await readTextFile(path, { cwd }, 'Pass the path of a JSON file to --answers.'), path);
  checkOptions(path, script, scriptedHandlers);
  return playScript(script, onMissing, path);
}

function parsed(text: string, path: string): object {
  let script: unknown;
  try {
    script = JSON.parse(text);
  } catch (error) {
    throw usageError(`${path} is not JSON: ${(error as Error).message}.`, hint);
  }
  if (!isRecord(script)) throw usageError(`${path} is not a JSON object.`, hint);
  return script;
}

const hint = 'Write {"elicitForm": [{"city": "Rome"}, "decline"], "sample": ["a text"]}.';
