import { useId, type ComponentProps, type ReactNode } from 'react';
import styles from './text-field.module.css';

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'children'> {
  label: string;
  /** Error message, shown instead of the description. */
  error?: string | undefined;
  description?: ReactNode;
  /** A link or button at the end of the label's line. */
  aside?: ReactNode;
}

/**
 * A text input with a label. The line below it is always reserved, so that the layout is stable.
 */
export function TextField({ label, error, description, aside, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label} error={error} description={description} aside={aside}>
      <input
        {...input}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
        className={styles.control}
      />
    </Field>
  );
}

/** A text field with a button at its end. */
export function FieldRow({ children }: { children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}

interface TextAreaProps extends Omit<ComponentProps<'textarea'>, 'children'> {
  label: string;
  error?: string | undefined;
  description?: ReactNode;
}

/** A multi-line text input with a label. */
export function TextArea({ label, error, description, ...area }: TextAreaProps) {
  const id = useId();
  return (
    <Field id={id} label={label} error={error} description={description}>
      <textarea
        rows={3}
        {...area}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-note`}
        className={`${styles.control} ${styles.area}`}
      />
    </Field>
  );
}

interface FieldProps {
  id: string;
  label: string;
  error?: string | undefined;
  description?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}

function Field({ id, label, error, description, aside, children }: FieldProps) {
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
