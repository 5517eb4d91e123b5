import ChevronRight from 'lucide-react/icons/chevron-right';
import type { ConsoleMember, ConsoleObject, ConsoleValue } from '@vitrine/sandbox/host';
import { useState, type ClipboardEvent, type MouseEvent, type ReactNode } from 'react';
import { ConsolePrimitiveView } from './console-primitive.tsx';
import { useConsoleActions } from './console-context.ts';
import { ObjectSummary } from './console-object-summary.tsx';
import { ConsoleStack } from './console-stack-view.tsx';
import { formatValue } from './console-format.ts';
import { useObjectMembers } from './console-members.ts';
import styles from './console-value.module.css';

interface ValueProps {
  value: ConsoleValue;
  /** Document that logged the value. */
  document: number;
  /** Name of the member, if the value is one. */
  label?: ReactNode;
  /** Shows a string without quotes, as text among an entry's values. */
  isPlain?: boolean;
  /** Initially expanded. */
  isOpen?: boolean;
}

/** True if the value can be expanded. */
export function isExpandable(value: ConsoleValue): value is ConsoleObject {
  if (!('members' in value)) return false;
  return (
    value.members.length > 0 || value.handle > 0 || (value.type === 'error' && value.stack !== '')
  );
}

/** A value, or a member with its name. Members and expandable values are tree items. */
export function ConsoleValueView(props: ValueProps) {
  const { value, label, isPlain } = props;
  if (isExpandable(value)) return <ExpandableValue {...props} value={value} />;
  if (label === undefined) return <InlineValue value={value} {...(isPlain && { isPlain })} />;
  return (
    <div role="treeitem" tabIndex={-1} className={styles.member} onCopy={copyHandler(value)}>
      {label}
      {value.type === 'getter' ? (
        <Getter handle={value.handle} document={props.document} />
      ) : (
        <InlineValue value={value} />
      )}
    </div>
  );
}

function InlineValue({ value, isPlain }: { value: ConsoleValue; isPlain?: boolean }) {
  return 'members' in value ? (
    <ObjectSummary value={value} />
  ) : (
    <ConsolePrimitiveView value={value} {...(isPlain && { isPlain })} />
  );
}

function ExpandableValue({
  value,
  document,
  label,
  isOpen = false,
}: ValueProps & { value: ConsoleObject }) {
  const [opened, setOpened] = useState(isOpen);
  return (
    <div
      role="treeitem"
      tabIndex={-1}
      aria-expanded={opened}
      className={label === undefined ? styles.object : styles.member}
      onCopy={copyHandler(value)}
    >
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the surrounding tree item handles keys */}
      <div
        className={styles.head}
        data-toggle=""
        onClick={(event) => {
          // The entry around it may start a group, which handles clicks as well.
          event.stopPropagation();
          if (!endsSelection(event)) setOpened(!opened);
        }}
      >
        <ChevronRight aria-hidden className={styles.chevron} data-open={opened || undefined} />
        <span>
          {label}
          <ObjectSummary value={value} />
        </span>
      </div>
      {opened && <MemberList value={value} document={document} />}
    </div>
  );
}

function MemberList({ value, document }: { value: ConsoleObject; document: number }) {
  const { members, remaining, note, loadMore } = useObjectMembers(value, document);
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a group of tree items
    <div role="group" className={styles.members}>
      {value.type === 'error' && value.stack !== '' && <ConsoleStack stack={value.stack} />}
      {members.map((member, index) => (
        // Members are only ever appended, so the index is a stable key.
        <ConsoleValueView
          key={index}
          value={member.value}
          document={document}
          label={<MemberName member={member} isElement={value.type === 'element'} />}
        />
      ))}
      {note !== undefined && <p className={styles.note}>{note}</p>}
      {note === undefined && remaining > 0 && (
        <div role="treeitem" tabIndex={-1} className={styles.member}>
          <button
            type="button"
            tabIndex={-1}
            data-act=""
            className={styles.more}
            onClick={loadMore}
          >
            {remaining === 1
              ? 'Show 1 more'
              : `Show ${Math.min(100, remaining)} of ${remaining.toLocaleString('en')} more`}
          </button>
        </div>
      )}
    </div>
  );
}

function MemberName({ member, isElement }: { member: ConsoleMember; isElement: boolean }) {
  const { name, key, isHidden } = member;
  if (isElement) return null;
  if (key)
    return (
      <>
        {'members' in key ? <ObjectSummary value={key} /> : <ConsolePrimitiveView value={key} />}
        <span className={styles.quiet}>{' => '}</span>
      </>
    );
  return (
    <>
      <span className={isHidden ? styles.quiet : styles.name}>{name}</span>
      <span className={styles.quiet}>: </span>
    </>
  );
}

/** Getter, shown as (…) until the user invokes it, since it runs code of the page. */
function Getter({ handle, document }: { handle: number; document: number }) {
  const { query } = useConsoleActions();
  const [answer, setAnswer] = useState<ConsoleValue | string>();
  if (typeof answer === 'string') return <span className={styles.quiet}>{answer}</span>;
  if (answer) return <ConsoleValueView value={answer} document={document} />;
  const run = async () => {
    const response = await query({ kind: 'get', handle }, document);
    if (response.kind === 'value') setAnswer(response.value);
    else
      setAnswer(
        response.kind === 'silent'
          ? 'The page isn’t responding.'
          : 'No longer available. Log it again.',
      );
  };
  return (
    <button
      type="button"
      tabIndex={-1}
      data-act=""
      aria-label="Invoke getter"
      className={styles.more}
      onClick={() => void run()}
    >
      (…)
    </button>
  );
}

/** True for a click that ends a text selection, which shouldn't expand the value. */
function endsSelection({ detail }: MouseEvent): boolean {
  return detail > 0 && getSelection()?.isCollapsed === false;
}

/** Copies the focused value when nothing is selected. */
function copyHandler(value: ConsoleValue) {
  return (event: ClipboardEvent) => {
    if (getSelection()?.isCollapsed === false) return;
    event.clipboardData.setData('text/plain', formatValue(value));
    event.preventDefault();
    event.stopPropagation();
  };
}
