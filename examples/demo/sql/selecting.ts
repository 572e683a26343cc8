/** Whether a text is one statement that only reads. */

/** Quoted texts, quoted names and comments: what stands in them is no part of the statement's form. */
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** What is wrong with it; `undefined` where nothing is. The database refuses writes on its own, too. */
export function selectProblem(sql: string): string | undefined {
  const form = sql.replace(quoted, ' ').trim();
  const [, ...more] = form.split(';');
  if (form === '') return 'There is no statement; write a SELECT';
  if (!/^(?:select|with|values)\b/i.test(form)) return 'Only SELECT is allowed: this database is read only';
  if (more.some((text) => text.trim() !== '')) return 'Send one statement at a time';
  return undefined;
}
