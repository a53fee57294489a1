import { plainText } from '../../base/text.ts'
import { type StrategyName, strategyNamesQuery } from '../../data/names.ts'
import { strategyKinds, strategyPath } from '../../data/paths.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { CheckField, FieldGroup, SelectField } from '../../parts/Choices.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import { changingTools, type Fields } from './fields.ts'

/** As many as the service takes. */
const most = 20

/** Which strategies the model may change, if it has a tool for that. */
export function ChangeFields({
  fields,
  onChange,
  problem,
}: {
  fields: Fields
  onChange: (change: Partial<Fields>) => void
  problem: string | undefined
}) {
  const { data: names } = useQuery(strategyNamesQuery)
  if (!changingTools.some((tool) => fields.tools.includes(tool))) return null
  const chosen = fields.may_change
  const others = [...(names ?? [])].filter(
    ([id, { type }]) => (type === 'code-strategy' || type === 'code-reaction') && !chosen.includes(id),
  )
  const choose = (ids: number[]) => onChange({ may_change: ids.sort((one, other) => one - other) })
  return (
    <FieldGroup title="Strategies that it may change">
      {chosen.length === 0 && (
        <p className={styles.soft}>Choose at least one. Until then, the model has none of these tools.</p>
      )}
      {chosen.length > 0 && (
        <ul className={styles.chosen} aria-label="Chosen strategies">
          {chosen.map((id) => (
            <li key={id}>
              <Chosen id={id} strategy={names?.get(id)} />
              <Button
                look="quiet"
                onClick={() => choose(chosen.filter((one) => one !== id))}
                aria-label={`Remove ${plainText(nameOf(id, names?.get(id)))}`}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <SelectField
        label="Add a strategy"
        hint="Your code strategies and code reactions. The model reads their code, and anyone who misleads it may learn what stands in it."
        name="may_change"
        problem={problem}
        value=""
        disabled={chosen.length >= most}
        onChange={({ target }) => target.value !== '' && choose([...chosen, Number(target.value)])}
      >
        <option value="">{chosen.length >= most ? `At most ${most}` : 'Choose …'}</option>
        {others
          .sort(([, one], [, other]) => one.name.localeCompare(other.name))
          .map(([id, strategy]) => (
            <option key={id} value={id}>
              {plainText(nameOf(id, strategy))} ({strategyKinds[strategy.type].toLowerCase()})
            </option>
          ))}
      </SelectField>
      <CheckField
        label="Ask me before each change"
        hint="Without this, the service makes a change at once. It still asks if live bots follow the strategy, and before new code that is public or could read a variable."
        checked={fields.change_needs_approval}
        onChange={({ target }) => onChange({ change_needs_approval: target.checked })}
      />
    </FieldGroup>
  )
}

function Chosen({ id, strategy }: { id: number; strategy: StrategyName | undefined }) {
  if (strategy === undefined) return <span>Strategy {id}</span>
  return (
    <a href={strategyPath(strategy.type, id)}>
      <Foreign text={nameOf(id, strategy)} />
    </a>
  )
}

function nameOf(id: number, strategy: StrategyName | undefined): string {
  return strategy?.name || `Strategy ${id}`
}
