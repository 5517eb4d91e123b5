import { Select as Base } from '@base-ui/react/select';
import Check from 'lucide-react/icons/check';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { useId } from 'react';
import styles from './select.module.css';

interface SelectProps<Value extends string> {
  /** The accessible name, shown above the control unless `labelHidden`. */
  label: string;
  labelHidden?: boolean;
  value: Value;
  options: readonly { value: Value; label: string; note?: string }[];
  onChange: (value: Value) => void;
  disabled?: boolean;
  size?: 'small' | 'regular';
}

/** A select (role combobox), named by its label. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, labelHidden, value, options, onChange, disabled, size } = props;
  return (
    <div className={styles.field}>
      <Base.Root
        items={options.map((option) => ({ value: option.value, label: option.label }))}
        value={value}
        onValueChange={(next) => next !== null && onChange(next)}
        disabled={disabled}
        modal={false}
      >
        {!labelHidden && <Base.Label className={styles.label}>{label}</Base.Label>}
        <Base.Trigger
          className={`${styles.trigger} ${size === 'small' ? styles.small : ''}`}
          // Names it in the server's HTML too, where the label isn't connected yet.
          aria-label={label}
        >
          <Base.Value className={styles.value} />
          <Base.Icon className={styles.chevrons}>
            <ChevronsUpDown aria-hidden />
          </Base.Icon>
        </Base.Trigger>
        <Options options={options} />
      </Base.Root>
    </div>
  );
}

function Options({ options }: { options: SelectProps<string>['options'] }) {
  return (
    <Base.Portal>
      <Base.Positioner className={styles.positioner} sideOffset={4} alignItemWithTrigger={false}>
        <Base.Popup className={styles.popup}>
          <Base.List>
            {options.map((option) => (
              <Option key={option.value} {...option} />
            ))}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

/** An option named by its label and described by its note. */
function Option({ value, label, note }: SelectProps<string>['options'][number]) {
  const id = useId();
  return (
    <Base.Item
      value={value}
      aria-labelledby={`${id}-label`}
      aria-describedby={note && `${id}-note`}
      className={styles.item}
    >
      <span className={styles.mark}>
        <Base.ItemIndicator>
          <Check aria-hidden />
        </Base.ItemIndicator>
      </span>
      <span>
        <Base.ItemText id={`${id}-label`}>{label}</Base.ItemText>
        {note && (
          <span id={`${id}-note`} className={styles.note}>
            {note}
          </span>
        )}
      </span>
    </Base.Item>
  );
}
