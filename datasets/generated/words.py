"""The English word list for all generated text, most frequent words first.

Compiled by hand from everyday vocabulary. The order matters: a word's frequency falls with its rank (Zipf's
law), as in real prose, so that compressors find as much redundancy as in real text. Changing a word changes
every corpus and its stored hash.
"""

# ruff: noqa: SIM905 - a thousand quotes make a list of words no clearer

from __future__ import annotations

FUNCTION_WORDS = """
the of and to a in is that for it was on with as be by at his from they this have not are but had
her she he or an were which their all one we when there can more if no who would what its about
into than them so some up out other then only time could these two may first any my now such like
our over even most me after also made did many before must through back where much your way well
down should because each just those how too little state good very make still own see men long
""".split()
"""Function words, which every sentence needs; not used in titles and names."""

COMMON = """
world year work day life house night city family story young small great last three water people
place part home hand school war father mother woman friend love room door heart light white black
river road child head side line country street church number company money music book table paper
market letter morning evening winter summer garden island mountain valley forest ocean bridge
station train window voice face body power order group system problem question answer reason
moment minute hour week month season century history future past truth secret promise danger
journey return escape search battle enemy soldier captain doctor teacher lawyer sister brother
daughter husband stranger neighbour village farmer worker writer painter singer dancer player
driver hunter keeper leader master prince queen king crown castle tower palace temple prison
harbour desert storm thunder rain snow wind fire stone iron silver golden crystal shadow mirror
dream memory silence song dance game race chase trial wedding funeral birthday holiday dinner
breakfast kitchen basement attic corner alley square avenue highway tunnel border frontier coast
beach shore cliff cave lake spring autumn midnight dawn sunset moon star planet galaxy comet sky
cloud horizon north south east west early late quick slow quiet loud broken hidden lost found
forgotten stolen ancient modern distant final second third double single open closed empty full
heavy gentle bitter sweet cruel kind brave afraid lonely happy angry proud humble honest clever
foolish simple strange familiar perfect ordinary famous unknown wild tame deep shallow wide narrow
bright dark pale scarlet crimson emerald purple orange copper velvet cotton leather wooden paperback
engine machine signal circuit battery cable motor wheel hammer ladder bottle basket candle lantern
blanket pillow carpet curtain ceiling staircase chimney fence orchard meadow harvest wheat apple
cherry lemon pepper honey butter coffee chocolate bread cheese soup salad kettle saucer spoon
pocket jacket trousers sweater collar button ribbon necklace bracelet earring umbrella suitcase
passport ticket luggage platform schedule calendar notebook pencil camera picture portrait statue
museum gallery theatre concert orchestra violin piano trumpet guitar rhythm melody chorus verse
chapter novel poem legend fable mystery comedy tragedy romance thriller adventure western musical
documentary detective inspector sergeant colonel general admiral pilot sailor merchant banker
broker tailor baker butcher carpenter plumber mechanic engineer scientist professor student pupil
surgeon nurse patient victim witness suspect criminal thief smuggler pirate outlaw rebel traitor
refugee immigrant orphan widow twin cousin nephew uncle aunt grandmother ancestor heir descendant
begins follows leaves finds takes turns becomes falls meets learns tries fights saves loses wins
builds breaks opens closes carries crosses discovers remembers forgets believes refuses accepts
decides reveals survives travels arrives returns escapes protects betrays confronts investigates
against between beyond beneath behind beside toward across along around during without within under
against until unless although however therefore perhaps almost already always never often sometimes
suddenly slowly finally quietly together alone again instead another every several enough whole
business service office worked government public president program policy report study research
result value level process project product design model method theory practice effect cause change
growth increase figure measure amount average record account credit payment contract insurance
property estate agency council committee member election campaign party minister parliament justice
court judge evidence crime murder violence weapon bullet knife poison disease virus fever hospital
medicine treatment recovery accident disaster earthquake flood famine drought epidemic invasion
revolution rebellion treaty alliance empire republic kingdom province district territory colony
settlement plantation railway factory workshop warehouse laboratory observatory satellite rocket
expedition discovery invention experiment formula equation pattern puzzle riddle cipher code message
telegram telephone newspaper magazine journal diary manuscript archive library catalogue document
signature inheritance fortune treasure diamond jewel ransom reward bargain auction gamble lottery
tournament champion referee stadium marathon bicycle motorcycle automobile helicopter submarine
lighthouse windmill waterfall glacier volcano canyon prairie jungle swamp lagoon reef archipelago
penguin elephant tiger leopard falcon eagle raven sparrow nightingale butterfly dragonfly spider
serpent dragon phoenix unicorn giant dwarf wizard witch ghost vampire werewolf angel demon prophet
monk bishop pilgrim shepherd hermit philosopher astronomer alchemist apothecary blacksmith
clockmaker cartographer gardener librarian magician acrobat puppeteer ventriloquist
""".split()
"""Content words: titles, names, labels and the rest of a sentence."""

WORDS = list(dict.fromkeys(FUNCTION_WORDS + COMMON))
