import styles from './console-value.module.css';
import { useConsoleActions } from './console-context.ts';
import { parseStack, shortenScriptUrl, type StackFrame } from './console-stack.ts';
import { SourceLink } from '../problems/source-link.tsx';

/** Stack trace with links to the project's files. */
export function ConsoleStack({ stack }: { stack: string }) {
  const { goTo } = useConsoleActions();
  return (
    <ul className={styles.stack} role="none">
      {parseStack(stack).map((frame, index) => (
        // The stack never changes, so the index is a stable key.
        <li key={index} role="none">
          {frame.functionName}{' '}
          {isProjectFrame(frame) ? (
            <SourceLink location={frame} onGoTo={goTo} />
          ) : (
            <ExternalFrame frame={frame} />
          )}
        </li>
      ))}
    </ul>
  );
}

function isProjectFrame({ path }: StackFrame): boolean {
  return !/^[a-z-]+:|^<|^eval$/i.test(path);
}

function ExternalFrame({ frame: { path, line } }: { frame: StackFrame }) {
  const label = `${shortenScriptUrl(path)}:${line}`;
  if (!/^https?:/.test(path)) return <span className={styles.quiet}>{label}</span>;
  return (
    <a
      href={path}
      target="_blank"
      rel="noopener noreferrer"
      tabIndex={-1}
      className={styles.address}
    >
      {label}
    </a>
  );
}
