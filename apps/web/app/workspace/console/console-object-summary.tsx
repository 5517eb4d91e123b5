import type { ConsoleMember, ConsoleObject, ConsoleValue } from '@vitrine/sandbox/host';
import { Fragment } from 'react';
import { LinkifiedText } from './linkified-text.tsx';
import { ConsolePrimitiveView, quoteString } from './console-primitive.tsx';
import styles from './console-value.module.css';

/** One-line summary of an object: its type and its first members. */
export function ObjectSummary({ value }: { value: ConsoleObject }) {
  switch (value.type) {
    case 'function':
      return <span className={styles.function}>ƒ {value.name}</span>;
    case 'class':
      return <span className={styles.class}>{value.name}</span>;
    case 'element':
      return <span className={styles.element}>{value.name}</span>;
    case 'error':
      return (
        <span>
          {value.name}
          {value.message && ': '}
          <LinkifiedText text={value.message} />
        </span>
      );
    default:
      return (
        <span>
          <Title value={value} />
          <MembersSummary value={value} />
        </span>
      );
  }
}

function Title({ value }: { value: ConsoleObject }) {
  const title = titleOf(value);
  return title && <span className={styles.title}>{title} </span>;
}

/** "Point"; "(3)" for an array; "Map(2)"; "" for a plain object. */
function titleOf({ type, name, size }: ConsoleObject): string {
  if (type === 'object') return name === 'Object' ? '' : name;
  return name === 'Array' ? `(${size})` : `${name}(${size})`;
}

const maxMembers = 5;
const maxStringLength = 60;

function MembersSummary({ value }: { value: ConsoleObject }) {
  const { members, size } = value;
  const own = members.filter(({ isHidden }) => !isHidden);
  const [open, close] = value.type === 'array' ? '[]' : '{}';
  const shown = own.slice(0, maxMembers);
  if (size > 0 && own.length === 0)
    return <span className={styles.quiet}>{`${open}…${close}`}</span>;
  return (
    <>
      {open}
      {shown.map((member, index) => (
        // The members never change, so the index is a stable key.
        <Fragment key={index}>
          {index > 0 && ', '}
          <MemberSummary member={member} hasName={value.type === 'object'} />
        </Fragment>
      ))}
      {size > shown.length && ', …'}
      {close}
    </>
  );
}

function MemberSummary({ member, hasName }: { member: ConsoleMember; hasName: boolean }) {
  const { name, key, value } = member;
  return (
    <>
      {key && (
        <>
          <ValueSummary value={key} />
          {' => '}
        </>
      )}
      {hasName && <span className={styles.name}>{name}: </span>}
      <ValueSummary value={value} />
    </>
  );
}

function ValueSummary({ value }: { value: ConsoleValue }) {
  if (value.type === 'string') {
    const isLong = value.text.length > maxStringLength;
    const text = isLong ? `${value.text.slice(0, maxStringLength)}…` : value.text;
    return <span className={styles.string}>{quoteString(text)}</span>;
  }
  if (!('members' in value)) return <ConsolePrimitiveView value={value} />;
  return <span className={styles[value.type]}>{shortName(value)}</span>;
}

function shortName(value: ConsoleObject): string {
  switch (value.type) {
    case 'function':
      return 'ƒ';
    case 'class':
    case 'element':
    case 'error':
      return value.name;
    case 'array':
      return value.name === 'Array' ? `Array(${value.size})` : `${value.name}(${value.size})`;
    case 'object':
      if (value.name !== 'Object') return value.name;
      return value.size === 0 ? '{}' : '{…}';
    default:
      return `${value.name}(${value.size})`;
  }
}
