/** Arguments from a form in the terminal: all of them with `--form`, and required ones that are missing. */
import { checkValue, planForm } from '../../json-schema/form-plan.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { Given } from '../manifest/given.ts';
import { askForm } from '../terminal/ask-form.ts';
import { usageError } from '../usage-error.ts';

/** The arguments that were typed, with what the person adds. A program that reads JSON is asked nothing by itself. */
export async function formArguments({ io, flag, isJson }: Given, schema: unknown, typed: Fields): Promise<Fields> {
  const isForm = flag('form');
  if (isForm && !io.canAsk) throw usageError('--form needs a terminal.', 'Write the arguments as name=value.');
  const plan = planForm(schema);
  const isMissing = checkValue(plan, typed).some(({ message }) => message === 'is required');
  if (!isForm && (isJson || !io.canAsk || !isMissing)) return typed;
  const only = isForm ? 'all' : 'required';
  return (await askForm(plan, io.prompts, { known: typed, only, signal: io.signal })) as Fields;
}
