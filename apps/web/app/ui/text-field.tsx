import { useId, type ComponentProps, type ReactNode } from 'react';
import styles from './text-field.module.css';

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'children'> {
  label: string;
  /** What is wrong with it, as the catalogue says it. It takes the description's place. */
  error?: string | undefined;
  description?: ReactNode;
  /** At the end of the label's line, e.g. a link. */
  aside?: ReactNode;
}

/** A labelled line of text. The line beneath it is always there, so that nothing jumps. */
export function TextField({ label, error, description, aside, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} error={error} description={description} aside={aside}>
      <input
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
        className={styles.control}
      />
    </Labelled>
  );
}

interface TextAreaProps extends Omit<ComponentProps<'textarea'>, 'children'> {
  label: string;
  error?: string | undefined;
  description?: ReactNode;
}

/** A labelled text of several lines. */
export function TextArea({ label, error, description, ...area }: TextAreaProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} error={error} description={description}>
      <textarea
        rows={3}
        {...area}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
        className={`${styles.control} ${styles.area}`}
      />
    </Labelled>
  );
}

interface LabelledProps {
  id: string;
  label: string;
  error?: string | undefined;
  description?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}

function Labelled({ id, label, error, description, aside, children }: LabelledProps) {
  return (
    <div className={styles.field}>
      <div className={styles.head}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {aside}
      </div>
      {children}
      <div id={`${id}-note`} className={styles.note} aria-live="polite">
        {error ? <span className={styles.error}>{error}</span> : description}
      </div>
    </div>
  );
}
