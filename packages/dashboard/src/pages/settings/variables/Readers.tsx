import { useQuery } from '../../../data/use-query.ts'
import { Status } from '../../../parts/Marks.tsx'
import { Foreign } from '../../../parts/Values.tsx'
import { Loaded } from '../Loaded.tsx'
import styles from '../settings.module.css'
import { type Use, usesQuery } from './queries.ts'

/** The strategies that read a variable, and those of which nobody can tell. */
export function Readers({ variableId }: { variableId: number }) {
  const uses = useQuery(usesQuery(variableId))
  return (
    <Loaded query={uses} lines={2}>
      {(items) => {
        const named = items.filter(({ use }) => use === 'named')
        const maybe = items.filter(({ use }) => use === 'maybe')
        if (items.length === 0) return <p className={styles.soft}>No strategy reads it.</p>
        return (
          <>
            {named.length > 0 && <Strategies text="The code of these names it:" items={named} />}
            {maybe.length > 0 && (
              <Strategies text="These may read it: their code does not say which variable." items={maybe} />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function Strategies({ text, items }: { text: string; items: readonly Use[] }) {
  return (
    <div>
      <p className={styles.soft}>{text}</p>
      <ul className={styles.list}>
        {items.map(({ id, name, type, status }) => (
          <li key={id}>
            <Foreign text={name || `Strategy ${id}`} /> ({type === 'code-reaction' ? 'reaction' : 'strategy'}){' '}
            <Status status={status} />
          </li>
        ))}
      </ul>
    </div>
  )
}
