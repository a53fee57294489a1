import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { plainText } from '../base/text.ts'
import { client } from '../data/client.ts'
import { type StrategyType, strategyPath } from '../data/paths.ts'
import { useQuery } from '../data/use-query.ts'
import { changeLook, type Look, readLook } from '../look/settings.ts'
import { classes } from '../parts/classes.ts'
import { Dialog } from '../parts/Dialog.tsx'
import styles from './palette.module.css'
import { places } from './places.ts'
import { signOut } from './sign-out.ts'

type Entry = { id: string; name: string; kind: string; act: () => void }

/** How pages look, which this browser keeps. */
const looks: { name: string; look: Partial<Look> }[] = [
  { name: 'Theme: as the system', look: { theme: 'system' } },
  { name: 'Theme: light', look: { theme: 'light' } },
  { name: 'Theme: dark', look: { theme: 'dark' } },
  { name: 'Profit and loss: teal and red', look: { profitColours: 'teal-red' } },
  { name: 'Profit and loss: blue and orange', look: { profitColours: 'blue-orange' } },
]

/** Search and commands: everything of the user by name, all pages, and what can be done on each of them. */
export function Palette({
  onClose,
  onStop,
  isAdministrator,
}: {
  onClose: () => void
  onStop: () => void
  isAdministrator: boolean
}) {
  const navigate = useNavigate()
  const listId = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const asked = useDeferredValue(text.trim())
  const { data: found } = useQuery({
    queryKey: ['search', asked],
    queryFn: () => client.search.find({ q: asked }),
    enabled: asked !== '',
  })
  const close = (act: () => void) => () => {
    onClose()
    act()
  }
  const commands: Entry[] = [
    ...places
      .filter((place) => !place.isForAdministrators || isAdministrator)
      .map(({ to, name }) => ({ id: to, name, kind: 'Page', act: close(() => void navigate({ to })) })),
    {
      id: 'about',
      name: 'About',
      kind: 'Page',
      act: close(() => void navigate({ to: '/about' })),
    },
    { id: 'stop', name: 'Stop …', kind: 'Command', act: close(onStop) },
    ...looks.map(({ name, look }) => ({
      id: name,
      name,
      kind: 'Look',
      act: close(() => changeLook({ ...readLook(), ...look })),
    })),
    { id: 'sign-out', name: 'Sign out', kind: 'Command', act: close(() => void signOut()) },
  ]
  // At once, also while the service still searches: typing and pressing Enter opens what was typed.
  const wanted = text.trim().toLowerCase()
  const entries = [
    ...commands.filter(({ name }) => name.toLowerCase().includes(wanted)),
    ...(wanted === '' ? [] : foundEntries(found, (to) => close(() => void navigate({ to }))())),
  ]
  const at = Math.min(chosen, entries.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && entries.length > 0) {
      event.preventDefault()
      setChosen((at + step + entries.length) % entries.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      entries[at]?.act()
    }
  }
  return (
    <Dialog title="Search and commands" onClose={onClose}>
      <input
        className={styles.input}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={entries.length > 0 ? `${listId}-${at}` : undefined}
        aria-label="Search"
        placeholder="A page, a strategy, a bot, a webhook"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles.list} id={listId} role="listbox" aria-label="Results">
        {entries.map(({ id, name, kind, act }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field choose and open entries
          <div
            key={id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={classes(styles.entry, index === at && styles.chosen)}
            onClick={act}
          >
            <span className={styles.name}>{name}</span>
            <span className={styles.kind}>{kind}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className={styles.none}>Nothing has this name.</p>}
    </Dialog>
  )
}

type Found = Awaited<ReturnType<typeof client.search.find>>

/** Where each kind of thing is shown. Kinds and types without a page yet are left out. */
const pagesOf: Partial<
  Record<keyof Found, { kind: string; to: (id: number, type: string | null) => string }>
> = {
  strategies: { kind: 'Strategy', to: (id, type) => strategyPath(type as StrategyType, id) },
  data_webhooks: { kind: 'Data webhook', to: (id) => `/webhooks/data/${id}` },
  bots: { kind: 'Bot', to: (id) => `/bots/${id}` },
  bot_webhooks: { kind: 'Bot webhook', to: (id) => `/webhooks/bot/${id}` },
}

function foundEntries(found: Found | undefined, open: (to: string) => void): Entry[] {
  if (found === undefined) return []
  return Object.entries(pagesOf).flatMap(([key, page]) =>
    (found[key as keyof Found] as { id: number; type: string | null; name: string }[]).map((item) => ({
      id: `${key}-${item.id}`,
      name: plainText(item.name),
      kind: page.kind,
      act: () => open(page.to(item.id, item.type)),
    })),
  )
}
