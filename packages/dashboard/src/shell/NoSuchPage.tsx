import { Entrance } from './Entrance.tsx'

/** The pages that people who mistype an address most likely want. */
const ways = [
  ['/overview', 'Overview'],
  ['/bots', 'Bots'],
  ['/trading', 'Positions'],
  ['/runs', 'Runs'],
] as const

/** Long addresses say no more. */
const mostShown = 80

/** Stands for a page at an address that has none. It needs no session, because the address may be anyone's. */
export function NoSuchPage() {
  const { pathname } = location
  const shown = pathname.length > mostShown ? `${pathname.slice(0, mostShown)}…` : pathname
  // Whole documents: an address that the service does not know is not one of this one's.
  const links = ways.map(([to, name]) => (
    <a key={to} href={to}>
      {name}
    </a>
  ))
  return (
    <Entrance title="There is no such page" links={links}>
      <p>
        Nothing is at <code>{shown}</code>. The address may be mistyped, or the page may have moved. Your
        strategies and bots go on as they were.
      </p>
    </Entrance>
  )
}
