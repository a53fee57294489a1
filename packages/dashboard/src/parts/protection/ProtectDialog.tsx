import { useQueryClient } from '@tanstack/react-query'
import { ApiError, type Position, type SignalBot } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { Button } from '../Button.tsx'
import { FieldGroup } from '../Choices.tsx'
import { Dialog } from '../Dialog.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { Mode } from '../Marks.tsx'
import { Notice } from '../Notice.tsx'
import { Foreign, Value } from '../Values.tsx'
import { ProtectionFields } from './ProtectionFields.tsx'
import { ProtectionWords } from './ProtectionWords.tsx'
import { changesInWords, proposalFor, stopMovesBack } from './proposal.ts'
import { isSameProtection, protectionFields, protectionOf } from './texts.ts'
import type { Protection } from './words.ts'

type Asked = {
  protection: Protection | null
  /** Ends the sending of the form, with what its fields have to show. */
  refuse: (error: ApiError) => void
  /** Ends it without a change. */
  goBack: () => void
}

/** Moves or removes the levels of an open position, after it has named bot, mode, symbol and what changes. */
export function ProtectDialog({
  bot,
  symbol,
  onClose,
}: {
  bot: SignalBot
  symbol: string
  onClose: () => void
}) {
  // Prices move levels meanwhile, which must not undo what is being typed.
  const [position] = useState(() => bot.positions.find((each) => each.symbol === symbol))
  const [asked, setAsked] = useState<Asked | null>(null)
  if (position === undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        <p>
          The bot does not hold <Foreign text={symbol} /> any more.
        </p>
        <Button onClick={onClose}>Back</Button>
      </Dialog>
    )
  const { protection: before } = position
  const proposal = proposalFor(position)
  const ask = (protection: Protection | null) =>
    new Promise<void>((goBack, refuse) => setAsked({ protection, refuse, goBack }))
  return (
    <>
      <FormDialog
        isWide
        title={title}
        word="Continue …"
        fields={protectionFields}
        onSend={async (data) => {
          const protection = protectionOf(data)
          const isActive = before !== null && before.state !== 'CALLED_OFF'
          if (isSameProtection(protection, proposal) && (isActive || protection === null)) onClose()
          else await ask(protection)
        }}
        onClose={onClose}
        other={
          before !== null && <Button onClick={() => void ask(null).catch(() => {})}>Remove all …</Button>
        }
      >
        {(problemOf) => (
          <>
            <Whose bot={bot} position={position} />
            <ProtectionWords position={position} />
            <FieldGroup title="From now on">
              <ProtectionFields protection={proposal} problemOf={problemOf} />
            </FieldGroup>
          </>
        )}
      </FormDialog>
      {asked !== null && (
        <ConfirmDialog
          {...{ bot, position, asked }}
          onEnd={(isDone) => {
            setAsked(null)
            if (isDone) onClose()
          }}
        />
      )}
    </>
  )
}

const title = 'Protection of this position'

function ConfirmDialog({
  bot,
  position,
  asked: { protection, refuse, goBack },
  onEnd,
}: {
  bot: SignalBot
  position: Position
  asked: Asked
  onEnd: (isDone: boolean) => void
}) {
  const queries = useQueryClient()
  const save = async () => {
    try {
      await client.positions.protect(bot.id, { symbol: position.symbol, protection })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      onEnd(false)
      refuse(error)
      return
    }
    for (const key of ['bots', 'positions']) void queries.invalidateQueries({ queryKey: [key] })
    onEnd(true)
  }
  const back = () => {
    onEnd(false)
    goBack()
  }
  return (
    <FormDialog
      title={protection === null ? 'Remove the protection' : 'Protect this position'}
      word={protection === null ? 'Remove' : 'Protect'}
      look={protection === null ? 'danger' : 'primary'}
      back="Back"
      onSend={save}
      onClose={back}
    >
      <Whose bot={bot} position={position} />
      <ul>
        {changesInWords(position, protection).map(({ name, from, to }) => (
          <li key={name}>
            {name}: {from === to ? to : `${from} → ${to}`}
          </li>
        ))}
      </ul>
      {stopMovesBack(position, protection) && (
        <Notice tone="warning">
          The stop has moved since the entry. It begins again where this says, which may be a worse price.
        </Notice>
      )}
      <p>
        {protection === null
          ? 'Then nothing protects this position. It stays open until a signal or you close it.'
          : 'These levels count from now on. One that only the service watches does not act while this machine is off. The best price counts again, and targets close parts of what the position holds now.'}
      </p>
    </FormDialog>
  )
}

function Whose({ bot, position: { side, size, symbol } }: { bot: SignalBot; position: Position }) {
  return (
    <p>
      <Foreign text={bot.name || `Bot ${bot.id}`} /> <Mode mode={bot.mode} demo={bot.demo} /> {side}{' '}
      <Value value={size} /> <Foreign text={symbol} />
    </p>
  )
}
