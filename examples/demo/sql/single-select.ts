/** Checks that a text is one SELECT statement. */

/** Quoted texts, quoted names and comments, whose content is ignored. */
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;

/** What is wrong with the text, or `undefined`. The database also refuses writes itself. */
export function selectProblem(sql: string): string | undefined {
  const form = sql.replace(quoted, ' ').trim();
  const [, ...more] = form.split(';');
  if (form === '') return 'There is no statement; write a SELECT';
  if (!/^(?:select|with|values)\b/i.test(form)) return 'Only SELECT is allowed: this database is read only';
  if (more.some((text) => text.trim() !== '')) return 'Send one statement at a time';
  return undefined;
}
