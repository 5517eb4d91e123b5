import styles from './console-value.module.css';
import { useConsole } from './console-context.ts';
import { readStack, shortAddress, type StackFrame } from './console-stack.ts';
import { SourceLink } from './source-link.tsx';

/** Stack trace with links to the project's files. */
export function ConsoleStack({ stack }: { stack: string }) {
  const { goTo } = useConsole();
  return (
    <ul className={styles.stack} role="none">
      {readStack(stack).map((frame, index) => (
        // The stack never changes, so the index is a stable key.
        <li key={index} role="none">
          {frame.words}{' '}
          {isOfProject(frame) ? (
            <SourceLink place={frame} onGoTo={goTo} />
          ) : (
            <Elsewhere frame={frame} />
          )}
        </li>
      ))}
    </ul>
  );
}

function isOfProject({ path }: StackFrame): boolean {
  return !/^[a-z-]+:|^<|^eval$/i.test(path);
}

function Elsewhere({ frame: { path, line } }: { frame: StackFrame }) {
  const words = `${shortAddress(path)}:${line}`;
  if (!/^https?:/.test(path)) return <span className={styles.quiet}>{words}</span>;
  return (
    <a
      href={path}
      target="_blank"
      rel="noopener noreferrer"
      tabIndex={-1}
      className={styles.address}
    >
      {words}
    </a>
  );
}
