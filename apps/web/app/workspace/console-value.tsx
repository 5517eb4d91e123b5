import { Fragment, type ReactNode } from 'react';
import type { ConsoleValue } from './console-log.ts';
import styles from './console-value.module.css';

/** A value as a tree that opens. `plain` shows a string without its quotes, as an entry's first one. */
export function ConsoleValueView({ value, plain }: { value: ConsoleValue; plain?: boolean }) {
  switch (value.type) {
    case 'text':
      return <span style={value.style}>{value.text}</span>;
    case 'string':
      return (
        <span className={plain ? undefined : styles.string}>
          {plain ? value.text : JSON.stringify(value.text)}
          {value.cut > 0 && <span className={styles.quiet}> … {value.cut} more characters</span>}
        </span>
      );
    case 'error':
      return <ErrorText name={value.name} message={value.message} stack={value.stack} />;
    case 'array':
    case 'set':
      return (
        <Tree head={`${value.name} (${value.size})`} count={value.size} shown={value.items.length}>
          {value.items.map((item, index) => (
            <Member key={index} name={String(index)} value={item} />
          ))}
        </Tree>
      );
    case 'map':
      return (
        <Tree
          head={`${value.name} (${value.size})`}
          count={value.size}
          shown={value.entries.length}
        >
          {value.entries.map(([key, item], index) => (
            <div key={index} className={styles.member}>
              <ConsoleValueView value={key} /> → <ConsoleValueView value={item} />
            </div>
          ))}
        </Tree>
      );
    case 'object':
      return (
        <Tree head={value.name} count={value.size} shown={value.properties.length}>
          {value.properties.map(([name, item]) => (
            <Member key={name} name={name} value={item} />
          ))}
        </Tree>
      );
    default:
      return <Atom value={value} />;
  }
}

type AtomValue = Exclude<
  ConsoleValue,
  { type: 'text' | 'string' | 'error' | 'array' | 'set' | 'map' | 'object' }
>;

const atomWords = {
  undefined: 'undefined',
  null: 'null',
  repeated: '[circular]',
  unreadable: '[unreadable]',
  deeper: '…',
} as const;

function Atom({ value }: { value: AtomValue }) {
  return (
    <span className={styles[value.type]}>
      {'text' in value ? value.text : atomWords[value.type]}
    </span>
  );
}

function Member({ name, value }: { name: string; value: ConsoleValue }) {
  return (
    <div className={styles.member}>
      <span className={styles.name}>{name}</span>: <ConsoleValueView value={value} />
    </div>
  );
}

interface TreeProps {
  head: string;
  count: number;
  shown: number;
  children: ReactNode;
}

function Tree({ head, count, shown, children }: TreeProps) {
  if (count === 0) return <span>{head}</span>;
  return (
    <details className={styles.tree}>
      <summary>{head}</summary>
      {children}
      {count > shown && <div className={styles.quiet}>… {count - shown} more</div>}
    </details>
  );
}

function ErrorText({ name, message, stack }: { name: string; message: string; stack: string }) {
  return (
    <Fragment>
      <span>
        {name}: {message}
      </span>
      {stack && (
        <details className={styles.tree}>
          <summary>Stack</summary>
          <pre className={styles.stack}>{stack}</pre>
        </details>
      )}
    </Fragment>
  );
}
