import { useRef, useState, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { copyText } from './copy-text.ts';
import { FieldRow, TextField } from './text-field.tsx';

interface CopyFieldProps {
  label: string;
  value: string;
  description?: ReactNode;
  /** Name of the button, starting with “Copy”. */
  copyLabel: string;
  variant?: 'primary' | 'secondary';
  /** A link or button at the end of the label's line. */
  aside?: ReactNode;
}

/** A read-only text with a button that copies it. */
export function CopyField({
  label,
  value,
  description,
  copyLabel,
  variant = 'secondary',
  aside,
}: CopyFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<string>();

  async function copy(): Promise<void> {
    try {
      await copyText(value);
      setOutcome('Copied');
    } catch {
      // The browser denies access to the clipboard.
      field.current?.select();
      setOutcome('Couldn’t copy. Copy the selected text instead.');
    }
  }

  return (
    <FieldRow>
      <TextField
        ref={field}
        label={label}
        readOnly
        value={value}
        description={outcome ?? description}
        aside={aside}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button variant={variant} onClick={() => void copy()}>
        {copyLabel}
      </Button>
    </FieldRow>
  );
}
