import { ruleLimits, type NetworkRule, type RuleEffect } from '@vitrine/sandbox/network-rules';
import Pencil from 'lucide-react/icons/pencil';
import Trash2 from 'lucide-react/icons/trash-2';
import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import { readPattern, ruleWords, type SwitchedRule } from './network-watch.ts';
import styles from './network-rules.module.css';
import type { Result } from './result.ts';
import { useSource } from './source.ts';

/** Form state of a rule. */
interface WrittenRule {
  /** Id of the edited rule. Null for a new one. */
  readonly id: number | null;
  readonly pattern: string;
  readonly kind: EffectKind;
  readonly number: string;
}

type EffectKind = RuleEffect['kind'];

const effects = [
  { value: 'wait', label: 'Delay' },
  { value: 'fail', label: 'Fail' },
  { value: 'status', label: 'Respond with' },
] as const;

const numbers: Readonly<
  Record<Exclude<EffectKind, 'fail'>, { label: string; least: number; most: number; start: string }>
> = {
  wait: { label: 'Delay in milliseconds', least: 0, most: ruleLimits.waitMs, start: '1000' },
  status: { label: 'Status code', least: 200, most: 599, start: '500' },
};

const empty: WrittenRule = { id: null, pattern: '', kind: 'wait', number: numbers.wait.start };

/** Network conditions: rules that delay or fail requests, each with a checkbox. */
export function NetworkRules({ result }: { result: Result }) {
  const { network } = result;
  const rules = useSource(network.rules);
  const isPortable = useSource(result.missing) !== null;
  const [written, setWritten] = useState(empty);
  const field = useRef<HTMLInputElement>(null);

  function begin(rule: WrittenRule): void {
    setWritten(rule);
    field.current?.focus();
  }
  function take(rule: NetworkRule): void {
    if (written.id === null) network.addRule(rule);
    else network.changeRule(written.id, rule);
    begin({ ...written, id: null, pattern: '' });
  }
  function remove(id: number): void {
    network.removeRule(id);
    begin(id === written.id ? empty : written);
  }
  function removeAll(): void {
    network.clearRules();
    begin(empty);
  }

  return (
    <section aria-label="Network conditions" className={styles.rules}>
      {rules.length > 0 && (
        <ul className={styles.list}>
          {rules.map((rule) => (
            <li key={rule.id} className={styles.rule}>
              <label className={styles.switch}>
                <input
                  type="checkbox"
                  checked={rule.isOn}
                  onChange={({ target }) => network.switchRule(rule.id, target.checked)}
                />
                {ruleWords(rule)}
              </label>
              <IconButton
                label={`Edit ${ruleWords(rule)}`}
                size="small"
                onClick={() => begin(writeRule(rule))}
              >
                <Pencil aria-hidden />
              </IconButton>
              <IconButton
                label={`Delete ${ruleWords(rule)}`}
                size="small"
                onClick={() => remove(rule.id)}
              >
                <Trash2 aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <RuleForm
        written={written}
        field={field}
        isFull={rules.length >= ruleLimits.rules}
        onChange={setWritten}
        onTake={take}
      >
        {written.id !== null ? (
          <Button size="small" variant="quiet" onClick={() => begin(empty)}>
            Cancel
          </Button>
        ) : (
          rules.length > 0 && (
            <Button size="small" variant="quiet" onClick={removeAll}>
              Delete all rules
            </Button>
          )
        )}
      </RuleForm>
      <p className={styles.coverage}>{coverageWords(isPortable)}</p>
    </section>
  );
}

function coverageWords(isPortable: boolean): string {
  return isPortable
    ? 'In this browser, applies to fetch and XHR requests only.'
    : "Applies to files in this project and to fetch and XHR requests. Doesn't apply to the page itself.";
}

interface RuleFormProps {
  written: WrittenRule;
  field: RefObject<HTMLInputElement | null>;
  /** The maximum number of rules is reached. */
  isFull: boolean;
  onChange: (written: WrittenRule) => void;
  onTake: (rule: NetworkRule) => void;
  children: ReactNode;
}

function RuleForm({ written, field, isFull, onChange, onTake, children }: RuleFormProps) {
  const isNew = written.id === null;
  const bounds = written.kind === 'fail' ? undefined : numbers[written.kind];
  const rule = readRule(written);
  const isGood = rule !== undefined && !(isNew && isFull);

  function choose(kind: EffectKind): void {
    onChange({ ...written, kind, ...(kind !== 'fail' && { number: numbers[kind].start }) });
  }

  return (
    <form
      aria-label={isNew ? 'New rule' : 'Edit rule'}
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isGood) onTake(rule);
      }}
    >
      <input
        ref={field}
        type="text"
        aria-label="Path or URL"
        placeholder="/data/*.json"
        className={`${styles.field} ${styles.pattern}`}
        value={written.pattern}
        maxLength={ruleLimits.pattern}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange({ ...written, pattern: target.value })}
      />
      <Select
        label="Effect"
        labelHidden
        size="small"
        value={written.kind}
        options={effects}
        onChange={choose}
      />
      {bounds && (
        <input
          type="number"
          aria-label={bounds.label}
          min={bounds.least}
          max={bounds.most}
          className={styles.field}
          value={written.number}
          onChange={({ target }) => onChange({ ...written, number: target.value })}
        />
      )}
      <Button type="submit" size="small" disabled={!isGood}>
        {isNew ? 'Add rule' : 'Save rule'}
      </Button>
      {children}
    </form>
  );
}

function writeRule({ id, pattern, effect }: SwitchedRule): WrittenRule {
  const { kind } = effect;
  if (kind === 'fail') return { ...empty, id, pattern, kind };
  return { id, pattern, kind, number: String(kind === 'wait' ? effect.ms : effect.status) };
}

/** Undefined while the form is incomplete or a value is out of range. */
function readRule({ pattern: typed, kind, number: digits }: WrittenRule): NetworkRule | undefined {
  const pattern = readPattern(typed);
  const effect = readEffect(kind, Number(digits));
  return effect && /^\S+$/.test(pattern) ? { pattern, effect } : undefined;
}

function readEffect(kind: EffectKind, number: number): RuleEffect | undefined {
  if (kind === 'fail') return { kind };
  const { least, most } = numbers[kind];
  if (!Number.isInteger(number) || number < least || number > most) return undefined;
  return kind === 'wait' ? { kind, ms: number } : { kind, status: number };
}
