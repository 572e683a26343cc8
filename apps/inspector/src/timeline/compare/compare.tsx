/** Two conversations side by side, message by message: what only one of them has, and where they differ. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Row } from '../../../../../src/inspector/api.ts';
import { shownMs } from '../../controls/format.ts';
import { Icon } from '../../controls/icon.tsx';
import { Empty, ErrorNotice } from '../../controls/notice.tsx';
import { DiffView, isSameJson } from '../../result/diff-view.tsx';
import { JsonTree } from '../../result/json-tree.tsx';
import { rowChanges, rowsOf } from '../../state/rows.ts';
import { compared } from '../../state/timeline.ts';
import { alignRows, type RowPair } from './align.ts';
import { type Messages, useMessages } from './messages.ts';
import { allSides, type Side } from './sides.ts';

/**
 * On the page: messages of each side of a comparison.
 * @limit inspector
 * @beyond the first are compared
 */
const maxCompared = 400;

/** Whether all differences are open. A row that was opened or closed alone stays so. */
const isAllOpen = signal(false);

export function Compare() {
  void rowChanges.value;
  const sides = allSides();
  const [left, right] = compared.value.map((id) => sides.find((side) => side.id === id));
  const choose = (at: 0 | 1, id: string): void => {
    const [one, other] = compared.peek();
    compared.value = at === 0 ? [id, other] : [one, id];
  };
  return (
    <div class="compare">
      <div class="compare-heads">
        <SideChoice label="Left side" sides={sides} chosen={left} onChoose={(id) => choose(0, id)} />
        {left !== undefined && right !== undefined ? (
          <button type="button" class="button quiet" onClick={() => (isAllOpen.value = !isAllOpen.value)}>
            {isAllOpen.value ? 'Close all' : 'Open all'}
          </button>
        ) : (
          <span />
        )}
        <SideChoice label="Right side" sides={sides} chosen={right} onChoose={(id) => choose(1, id)} />
      </div>
      {left === undefined || right === undefined ? (
        <Empty>Choose two runs, clients or connections of captures. Their messages are shown side by side.</Empty>
      ) : (
        <Comparison key={`${left.id} ${right.id}`} left={left} right={right} />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly sides: readonly Side[];
  readonly chosen: Side | undefined;
  readonly onChoose: (id: string) => void;
}

function SideChoice({ label, sides, chosen, onChoose }: ChoiceProps) {
  const groups = [...new Set(sides.map(({ group }) => group))];
  return (
    <select aria-label={label} value={chosen?.id ?? ''} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">Choose…</option>
      {groups.map((group) => (
        <optgroup key={group} label={group}>
          {sides
            .filter((side) => side.group === group)
            .map(({ id, text }) => (
              <option key={id} value={id}>
                {text}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}

function Comparison({ left, right }: { readonly left: Side; readonly right: Side }) {
  const [one, other] = [left, right].map((side) => rowsOf(side.recording).filter(side.has)) as [Row[], Row[]];
  const [leftRows, rightRows] = [one.slice(0, maxCompared), other.slice(0, maxCompared)];
  const leftMessages = useMessages(left.recording, leftRows);
  const rightMessages = useMessages(right.recording, rightRows);
  const error = leftMessages.error ?? rightMessages.error;
  const isCut = one.length > maxCompared || other.length > maxCompared;
  if (error !== undefined) return <ErrorNotice error={error} />;
  return (
    <ol class="compare-rows" aria-label="Messages of both sides">
      {alignRows(leftRows, rightRows).map((pair) => (
        <PairView
          key={`${pair.left?.seq} ${pair.right?.seq}`}
          pair={pair}
          leftMessages={leftMessages}
          rightMessages={rightMessages}
        />
      ))}
      {isCut && <li class="compare-note faint">Only the first {maxCompared} messages of each side are compared.</li>}
    </ol>
  );
}

interface PairProps {
  readonly pair: RowPair;
  readonly leftMessages: Messages;
  readonly rightMessages: Messages;
}

type Outcome = 'same' | 'differs' | 'left' | 'right';

const words: Readonly<Record<Outcome, string>> = {
  same: 'same',
  differs: 'differs',
  left: 'only left',
  right: 'only right',
};

/** As in the differences of two texts. */
const colors: Readonly<Record<Outcome, string>> = { same: '', differs: 'warn', left: 'bad', right: 'good' };

function PairView({ pair: { left, right }, leftMessages, rightMessages }: PairProps) {
  const before = left && leftMessages.bySeq.get(left.seq);
  const after = right && rightMessages.bySeq.get(right.seq);
  const outcome: Outcome =
    left === undefined ? 'right' : right === undefined ? 'left' : isSameJson(before, after) ? 'same' : 'differs';
  const isLoaded = (left === undefined || before !== undefined) && (right === undefined || after !== undefined);
  const [isOpen, setOpen] = useState<boolean | undefined>(undefined);
  const isShown = isLoaded && (isOpen ?? (isAllOpen.value && outcome !== 'same'));
  return (
    <li class={`compare-pair is-${outcome}`}>
      <button type="button" class="compare-row mono" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
        <Icon name={isShown ? 'down' : 'right'} />
        <RowCell row={left} />
        <span class={`chip ${colors[outcome]}`}>{words[outcome]}</span>
        <RowCell row={right} />
      </button>
      {isShown && outcome === 'differs' && <DiffView before={before} after={after} label="The differences" />}
      {isShown && outcome !== 'differs' && (
        <div class="compare-whole">
          <JsonTree value={before ?? after} openTo={3} />
        </div>
      )}
    </li>
  );
}

function RowCell({ row }: { readonly row: Row | undefined }) {
  if (row === undefined) return <span class="compare-cell faint">–</span>;
  const { from, method, type, kind, name, latencyMs, isError, summary } = row;
  return (
    <span class={`compare-cell ${isError ? 'is-error' : ''}`}>
      <span class={`row-arrow ${from ?? ''}`}>{from === 'client' ? '→' : '←'}</span> {method ?? type ?? kind}{' '}
      <span class="row-name">{name}</span>
      {latencyMs !== undefined && <span> {shownMs(latencyMs)}</span>} <span class="faint">{summary}</span>
    </span>
  );
}
