import { Link } from '@tanstack/react-router'
import { meQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import { Button } from '../parts/Button.tsx'
import { Buttons, Dialog } from '../parts/Dialog.tsx'
import { Notice } from '../parts/Notice.tsx'
import { HaltFacts } from './HaltFacts.tsx'
import { haltTitle } from './halt-title.ts'
import { tradingQuery } from './trading.ts'
import { Unprotected } from './Unprotected.tsx'

/** What a halt means, and why there is one. It follows the switch: trading may go on while it is open. */
export function HaltDialog({ onClose }: { onClose: () => void }) {
  const { data: me } = useQuery(meQuery)
  const { data: trading } = useQuery(tradingQuery)
  return (
    <Dialog title={haltTitle(trading?.halted)} onClose={onClose}>
      {trading?.halted === false ? (
        <Notice>An administrator has ended the halt.</Notice>
      ) : (
        <>
          {trading?.halt && <HaltFacts halt={trading.halt} />}
          {trading?.halted === 'openings' ? (
            <p>
              No bot of any user opens a position, on paper or live, until an administrator lets trading go
              on. Signals that would open are refused. Closes go on.
            </p>
          ) : (
            <>
              <p>
                No bot of any user sends an order, on paper or live, until an administrator lets trading go
                on. Signals that would open are refused, and closes wait for the owners of the bots. Positions
                stay open.
              </p>
              <Unprotected />
            </>
          )}
          {me?.role === 'admin' && (
            <p>
              <Link to="/administration" search={{ tab: 'trading' }} onClick={onClose}>
                Let trading go on, or change the reason
              </Link>
            </p>
          )}
        </>
      )}
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  )
}
