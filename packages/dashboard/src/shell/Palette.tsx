import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { plainText } from '../base/text.ts'
import { client } from '../data/client.ts'
import { type StrategyType, strategyPath } from '../data/paths.ts'
import { useQuery } from '../data/use-query.ts'
import { changeLook, type Look } from '../look/settings.ts'
import { classes } from '../parts/classes.ts'
import { Dialog } from '../parts/Dialog.tsx'
import styles from './palette.module.css'
import { places } from './places.ts'
import { type AreaId, areas } from './settings-areas.ts'
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
    ...areas.map(({ id, name }) => ({
      id: `settings-${id}`,
      name: `Settings: ${name}`,
      kind: 'Page',
      act: close(() => void navigate({ to: '/settings/$area', params: { area: id } })),
    })),
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
      act: close(() => changeLook(look)),
    })),
    { id: 'sign-out', name: 'Sign out', kind: 'Command', act: close(() => void signOut()) },
  ]
  // At once, also while the service still searches: typing and pressing Enter opens what was typed.
  const wanted = text.trim().toLowerCase()
  const hits = wanted === '' ? [] : foundEntries(found, (place) => close(() => void navigate(place))())
  const isNamed = ({ name }: Entry) => name.toLowerCase().includes(wanted)
  // Until the text is asked for, the answer to an older text is there: Enter must not open what no longer fits.
  const isOlder = asked !== text.trim()
  const entries = [...commands.filter(isNamed), ...(isOlder ? hits.filter(isNamed) : hits)]
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
        placeholder="A page, a strategy, a bot, a key"
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

type Hit = Found['bots'][number]
type Place = { to: string; search?: Record<string, string | number> }

/** The lists of bots. Strategies of all kinds are in one list. */
const folderPages: Record<string, string> = {
  'signal-cex': '/bots',
  'signal-prediction': '/bots/without-venue',
  'signal-dex': '/bots/without-venue',
}

/** Where each kind of thing is shown: on a page of its own, or in a list that is searched for its name. */
const pagesOf: Record<Exclude<keyof Found, 'more'>, { kind: string; at: (hit: Hit) => Place }> = {
  strategies: { kind: 'Strategy', at: ({ id, type }) => ({ to: strategyPath(type as StrategyType, id) }) },
  data_webhooks: { kind: 'Data webhook', at: ({ id }) => ({ to: `/webhooks/data/${id}` }) },
  bots: { kind: 'Bot', at: ({ id }) => ({ to: `/bots/${id}` }) },
  bots_without_venue: {
    kind: 'Bot without a venue',
    at: ({ id }) => ({ to: '/bots/without-venue', search: { bot: id } }),
  },
  bot_webhooks: { kind: 'Bot webhook', at: ({ id }) => ({ to: `/webhooks/bot/${id}` }) },
  folders: {
    kind: 'Folder',
    at: ({ id, type }) => ({ to: folderPages[type ?? ''] ?? '/strategies', search: { folder: id } }),
  },
  variables: { kind: 'Variable', at: ({ name }) => inSettings('variables', { q: name }) },
  exchange_connections: { kind: 'Exchange', at: ({ name }) => inSettings('connections', { q: name }) },
  ai_connections: {
    kind: 'Model',
    at: ({ name, text }) => inSettings('connections', { model: name || (text ?? '') }),
  },
  api_keys: { kind: 'API key', at: ({ name }) => inSettings('keys', { q: name }) },
  notification_endpoints: {
    kind: 'Endpoint',
    at: ({ name }) => inSettings('notifications', { q: name }),
  },
}

/** The whole list, if the thing has no name. */
function inSettings(area: AreaId, search: Record<string, string>): Place {
  const to = `/settings/${area}`
  return Object.values(search).includes('') ? { to } : { to, search }
}

function foundEntries(found: Found | undefined, open: (place: Place) => void): Entry[] {
  if (found === undefined) return []
  return Object.entries(pagesOf).flatMap(([key, { kind, at }]) =>
    found[key as keyof typeof pagesOf].map((hit) => ({
      id: `${key}-${hit.id}`,
      name: plainText(hit.name) || `${kind} ${hit.id}`,
      kind,
      act: () => open(at(hit)),
    })),
  )
}
