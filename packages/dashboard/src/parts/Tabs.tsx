import { Tabs as Base } from '@base-ui/react/tabs'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
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
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address may choose another one
  useLayoutEffect(() => showChosen(list.current!), [chosen])
  return (
    <Base.Root value={chosen} onValueChange={(value) => onChoose(String(value))}>
      <Base.List ref={list} className={styles.list} aria-label={label}>
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

/** On a phone, the chosen tab can be beside what is seen. The page itself does not move. */
function showChosen(list: HTMLElement): void {
  const tab = list.querySelector('[aria-selected="true"]')
  if (tab === null) return
  const [shown, wanted] = [list.getBoundingClientRect(), tab.getBoundingClientRect()]
  if (wanted.left < shown.left) list.scrollLeft -= shown.left - wanted.left
  else if (wanted.right > shown.right) list.scrollLeft += wanted.right - shown.right
}
