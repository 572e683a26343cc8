/**
 * Checks by its compiled program that a statement stays inside the database: builds of SQLite differ, and some can read
 * and write files. Only instructions and functions that compute or read tables are allowed.
 */
import type { Database } from './database.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const functions = words(`
  -> ->> abs acos acosh asin asinh atan atan2 atanh atn2 avg ceil ceiling changes char coalesce concat concat_ws cos
  cosh cot coth count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp
  first_value floor format glob group_concat hex if ifnull iif instr json json_array json_array_insert
  json_array_length json_error_position json_extract json_group_array json_group_object json_insert json_object
  json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array
  jsonb_array_insert jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch
  jsonb_remove jsonb_replace jsonb_set julianday lag last_insert_rowid last_value lead length like likelihood likely ln
  log log10 log2 lower lower_quartile ltrim max median min mod mode nth_value ntile nullif octet_length percent_rank
  percentile percentile_cont percentile_disc pi pow power printf quote radians random randomblob rank regexp regexpi
  replace reverse round row_number rtrim sha3 sign sin sinh soundex sqlite_source_id sqlite_version sqrt square stdev
  strftime string_agg substr substring subtype sum tan tanh time timediff total total_changes trim trunc typeof unhex
  unicode unistr unistr_quote unixepoch unlikely upper upper_quartile uuid uuid_blob uuid_str variance zeroblob
`);

/** Those that write do so to temporary tables of the statement. Writing to a stored table needs OpenWrite, which is missing. */
const instructions = words(`
  Abortable Add AddImm Affinity AggFinal AggInverse AggStep AggStep1 AggValue And BeginSubrtn BitAnd BitNot BitOr Blob
  Cast Close ClrSubtype CollSeq Column ColumnsUsed Compare Concat Copy Count CursorHint CursorLock CursorUnlock
  DecrJumpZero DeferredSeek Delete Divide ElseEq EndCoroutine Eq Explain Filter FilterAdd FinishSeek Found Function Ge
  GetSubtype Gosub Goto Gt Halt HaltIfNull IdxDelete IdxGE IdxGT IdxInsert IdxLE IdxLT IdxRowid If IfEmpty IfNoHope IfNot
  IfNotOpen IfNotZero IfNullRow IfPos IfSizeBetween IfSmaller Init InitCoroutine Insert Int64 IntCopy Integer IsNull
  IsTrue IsType Jump Last Le Lt MakeRecord MemMax Move Multiply MustBeInt Ne NewRowid Next NoConflict Noop Not NotExists
  NotFound NotNull Null NullRow Offset OffsetLimit Once OpenAutoindex OpenDup OpenEphemeral OpenPseudo OpenRead Or
  Permutation Prev PureFunc ReadCookie Real RealAffinity ReleaseReg Remainder ReopenIdx ResetSorter ResultRow Return
  Rewind RowCell RowData RowSetAdd RowSetRead RowSetTest Rowid SCopy SeekEnd SeekGE SeekGT SeekHit SeekLE SeekLT
  SeekRowid SeekScan Sequence SequenceTest SetSubtype ShiftLeft ShiftRight SoftNull Sort SorterCompare SorterData
  SorterInsert SorterNext SorterOpen SorterSort String String8 Subtract TableLock Trace Transaction Variable Yield
  ZeroOrNull
`);

/** Why the statement is not allowed, or `undefined`. Throws if it is not a statement. */
export function statementProblem(database: Database, sql: string): string | undefined {
  for (const { opcode, p4 } of database.program(sql)) {
    const instruction = String(opcode);
    if (/^V[A-Z]/.test(instruction)) return virtualProblem(database, sql);
    if (/^(?:OpenWrite|Clear)$/.test(instruction)) return 'Only SELECT is allowed: this is a readonly database';
    if (!instructions.has(instruction))
      return `The instruction ${instruction} is not allowed here: write a plain SELECT`;
    if (/^(?:Function|PureFunc|Agg)/.test(instruction)) {
      const name = String(p4).replace(/\(-?\d+\)$/, '');
      if (!functions.has(name))
        return `The function ${name} is not allowed here: use those that only compute, such as count, lower, date or json_extract`;
    }
  }
  return undefined;
}

/** The program does not contain the name of the virtual table, so the message lists those that the text contains. */
function virtualProblem(database: Database, sql: string): string {
  const written = new Set(sql.toLowerCase().match(/\w+/g));
  const modules = [...database.rows('SELECT name FROM pragma_module_list')].map(({ name }) => String(name));
  const named = modules.filter((name) => written.has(name.toLowerCase()));
  const which = named.length === 0 ? 'A virtual table' : named.join(', ');
  return `${which} is not allowed here: read the tables that sqlite_schema lists, and no virtual ones`;
}
