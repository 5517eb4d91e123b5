import type { ConsoleObject, ConsoleValue } from '@vitrine/sandbox/host';
import { useState } from 'react';
import { LinkifiedText } from './linkified-text.tsx';
import styles from './console-value.module.css';
import { ConsoleStack } from './console-stack-view.tsx';

type ConsolePrimitive = Exclude<ConsoleValue, ConsoleObject>;

const placeholders = {
  undefined: 'undefined',
  null: 'null',
  empty: 'empty',
  repeated: '[circular]',
  unreadable: '[unreadable]',
  getter: '(…)',
} as const;

/** A value that can't be expanded. `isPlain` shows a string without quotes. */
export function ConsolePrimitiveView({
  value,
  isPlain,
}: {
  value: ConsolePrimitive;
  isPlain?: boolean;
}) {
  switch (value.type) {
    case 'text':
      return <LongText text={value.text} style={value.style} />;
    case 'string':
      return (
        <span className={isPlain ? undefined : styles.string}>
          <LongText
            text={isPlain ? value.text : quoteString(value.text)}
            isTruncated={value.cut > 0}
          />
          {value.cut > 0 && (
            <span className={styles.quiet}>
              {' '}
              … {value.cut.toLocaleString('en')} more {value.cut === 1 ? 'character' : 'characters'}
            </span>
          )}
        </span>
      );
    case 'stack':
      return <ConsoleStack stack={value.text} />;
    default:
      return (
        <span className={styles[value.type]}>
          {'text' in value ? value.text : placeholders[value.type]}
        </span>
      );
  }
}

/** Quotes a string, with double quotes if it contains a single quote. */
export function quoteString(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1);
  return text.includes("'") ? `"${escaped}"` : `'${escaped.replaceAll('\\"', '"')}'`;
}

/** Characters of a text shown until the user expands it. */
const maxCharacters = 1_000;

interface LongTextProps {
  text: string;
  style?: ConsoleStyle | undefined;
  /** The text was truncated before it was sent. */
  isTruncated?: boolean;
}

function LongText({ text, style, isTruncated = false }: LongTextProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const isCut = !isExpanded && text.length > maxCharacters * 1.2;
  return (
    <span style={style}>
      <LinkifiedText
        text={isCut ? text.slice(0, maxCharacters) : text}
        isCut={isCut || isTruncated}
      />
      {isCut && (
        <button
          type="button"
          tabIndex={-1}
          data-act=""
          className={styles.more}
          onClick={() => setIsExpanded(true)}
        >
          Show {(text.length - maxCharacters).toLocaleString('en')} more characters
        </button>
      )}
    </span>
  );
}

type ConsoleStyle = Extract<ConsoleValue, { type: 'text' }>['style'];
