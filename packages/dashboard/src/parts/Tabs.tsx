import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

export type Tab = { id: string; name: string; content: ReactNode }

/** Several views of one thing. Only the chosen one is in the document. */
export function Tabs({
  label,
  tabs,
  chosen,
  onChoose,
}: {
  label: string
  tabs: readonly Tab[]
  chosen: string
  onChoose: (id: string) => void
}) {
  return (
    <Base.Root value={chosen} onValueChange={(value) => onChoose(String(value))}>
      <Base.List className={styles.list} aria-label={label}>
        {tabs.map(({ id, name }) => (
          <Base.Tab key={id} value={id} className={styles.tab}>
            {name}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ id, content }) => (
        <Base.Panel key={id} value={id} className={styles.panel}>
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
