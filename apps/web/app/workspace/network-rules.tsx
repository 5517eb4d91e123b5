import { ruleLimits, type RuleEffect } from '@vitrine/sandbox/network-rules';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Select } from '../ui/select.tsx';
import { ruleWords } from './network-watch.ts';
import styles from './network-rules.module.css';
import type { Result } from './result.ts';
import { useSource } from './source.ts';

/** What is held up or failed on purpose, each by a switch of its own. */
export function NetworkRules({ result }: { result: Result }) {
  const { network } = result;
  const rules = useSource(network.rules);
  const isPortable = useSource(result.missing) !== null;
  return (
    <section aria-label="Delay and failure" className={styles.rules}>
      <p className={styles.coverage}>{coverageWords(isPortable)}</p>
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
                label={`Remove ${ruleWords(rule)}`}
                size="small"
                onClick={() => network.removeRule(rule.id)}
              >
                <Trash2 aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      <NewRule result={result} />
    </section>
  );
}

function coverageWords(isPortable: boolean): string {
  return isPortable
    ? 'In this browser it holds for what fetch and XMLHttpRequest ask for.'
    : 'It holds for all that the page loads from this project, and for what fetch and XMLHttpRequest ask of other hosts; never for the page itself.';
}

const effects = [
  { value: 'wait', label: 'Wait' },
  { value: 'fail', label: 'Fail' },
  { value: 'status', label: 'Answer' },
] as const;

type EffectKind = RuleEffect['kind'];

const numbers: Readonly<
  Record<Exclude<EffectKind, 'fail'>, { label: string; least: number; most: number; start: string }>
> = {
  wait: { label: 'Milliseconds', least: 0, most: ruleLimits.waitMs, start: '1000' },
  status: { label: 'Status', least: 200, most: 599, start: '500' },
};

function NewRule({ result }: { result: Result }) {
  const [pattern, setPattern] = useState('');
  const [kind, setKind] = useState<EffectKind>('wait');
  const [number, setNumber] = useState(numbers.wait.start);
  const field = kind === 'fail' ? undefined : numbers[kind];
  const effect = readEffect(kind, Number(number));
  const rules = useSource(result.network.rules).length;
  const hasRules = rules > 0;
  const isGood =
    rules < ruleLimits.rules && /^(?:\/|\*|https?:\/\/)\S*$/.test(pattern) && effect !== undefined;

  function choose(next: EffectKind): void {
    setKind(next);
    if (next !== 'fail') setNumber(numbers[next].start);
  }
  function add(): void {
    if (!isGood) return;
    result.network.addRule({ pattern, effect });
    setPattern('');
  }

  return (
    <form
      aria-label="New rule"
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <input
        type="text"
        aria-label="Path or address"
        placeholder="/data/*.json"
        className={`${styles.field} ${styles.pattern}`}
        value={pattern}
        maxLength={ruleLimits.pattern}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setPattern(target.value)}
      />
      <Select
        label="Effect"
        labelHidden
        size="small"
        value={kind}
        options={effects}
        onChange={choose}
      />
      {field && (
        <input
          type="number"
          aria-label={field.label}
          min={field.least}
          max={field.most}
          className={styles.field}
          value={number}
          onChange={({ target }) => setNumber(target.value)}
        />
      )}
      <Button type="submit" size="small" disabled={!isGood}>
        Add rule
      </Button>
      {hasRules && (
        <Button size="small" variant="quiet" onClick={() => result.network.clearRules()}>
          Remove all rules
        </Button>
      )}
    </form>
  );
}

function readEffect(kind: EffectKind, number: number): RuleEffect | undefined {
  if (kind === 'fail') return { kind };
  const { least, most } = numbers[kind];
  if (!Number.isInteger(number) || number < least || number > most) return undefined;
  return kind === 'wait' ? { kind, ms: number } : { kind, status: number };
}
