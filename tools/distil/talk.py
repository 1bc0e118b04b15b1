"""Makes up everyday talk from a small grammar, since packages hold much documentation and little conversation."""

import random

NAMES = """Anna Ben Clara David Elena Frank Grace Hannah Ivan Julia Karim Laura Mark Nadia Oliver Paula Quentin Rosa Simon Tanya
Umar Vera Walter Xenia Yusuf Zoe Priya Kenji Mei Amina Diego Ingrid Pedro Sofia Thomas Lucy Emma Noah Liam Mia""".split()
KIN = """my mother|my father|my sister|my brother|my wife|my husband|my daughter|my son|my grandmother|my grandfather|my aunt|my uncle|
my cousin|my boss|my neighbour|my best friend|my roommate|my girlfriend|my boyfriend|my colleague|my teacher|my doctor|my dentist|my dog|
my cat|our team|the kids|my parents|my nephew|my niece|my mentor|my landlord|an old friend|a friend from school"""
PLACE = """the park|the beach|the mountains|the museum|the library|the hospital|the gym|a concert|a wedding|the office|a conference|
the supermarket|the airport|a cafe|a new restaurant|the zoo|the cinema|the theatre|a workshop|the forest|the lake|a farm|a festival|
the swimming pool|the bank|the post office|the hairdresser|a birthday party|a funeral|the mechanic|a dance class|church|
the shelter|a book club|a job interview|university|the campsite|a hockey game|a football match|the garden centre|
Paris|London|Tokyo|Rome|Berlin|Canada|Mexico|India|Spain|Australia|the countryside|a yoga retreat|an exhibition|a protest|a parade"""
DO = """cook dinner|bake bread|play the guitar|play the piano|paint landscapes|take photographs|go running|train for a marathon|
ride a bike|go hiking|go camping|read novels|write poems|keep a journal|learn Spanish|learn to code|knit a scarf|plant tomatoes|
fix the car|renovate the kitchen|move to a new flat|look for a job|start a business|adopt a puppy|volunteer at the shelter|
study for the exam|practise yoga|meditate|lose weight|eat less sugar|sleep better|save money|pay the rent|book a flight|
plan the holiday|watch films|play chess|play video games|play basketball|swim every morning|sing in a choir|build a shelf|
repair the roof|clean the garage|sell the house|buy a laptop|change the password|call the insurance|see the dentist|get a haircut|
go fishing|collect stamps|teach children|finish the report|prepare the slides|record a podcast|host a dinner|
donate blood|take a day off|visit relatives|get married|have a baby|take medicine|recover from surgery|quit smoking|try surfing"""
DID = """cooked dinner|baked a cake|bought a guitar|painted a sunset|took some photos|ran ten kilometres|broke a leg|lost the keys|
found a new job|was promoted|was fired|graduated|moved house|adopted a kitten|planted roses|won a prize|failed the exam|passed the test|
got engaged|got divorced|had surgery|caught a cold|booked the tickets|missed the train|crashed the car|fixed the sink|sold the boat|
wrote a song|finished the book|started therapy|joined a club|quit the job|met an old friend|saw a doctor|visited the museum|
signed the contract|opened a shop|published an article|gave a talk|learnt to swim|got a tattoo|donated clothes|found a wallet|
painted the bedroom|made a necklace|had a baby|celebrated an anniversary|received a letter|forgot the appointment|ordered new shoes"""
THING = """a red bicycle|an old camera|a wooden table|a silver ring|a pair of hiking boots|a blue dress|a mystery novel|a cookbook|
a coffee machine|a second-hand car|a phone|a puppy|a goldfish|a violin|a painting|a birthday cake|a plane ticket|a tent|a vase|
a board game|a gift card|a houseplant|a necklace|a record player|a keyboard|a sewing machine|a smartwatch|a suitcase|headphones"""
LIKE = """jazz|classical music|rock|spicy food|sushi|pizza|pasta|dark chocolate|strawberries|green tea|coffee|red wine|science fiction|
detective stories|history|astronomy|modern art|ballet|football|tennis|snowboarding|cats|dogs|horses|the sea|rainy days|autumn|winter|
board games|gardening|cooking|photography|travelling|swimming|karaoke|comedies|documentaries|vegetarian food|peanut butter|cheese"""
WHEN = """yesterday|last week|last month|last year|two days ago|this morning|on Monday|on Friday evening|in March|in October|
over the weekend|last summer|at Christmas|on 12 May|in 2021|a few weeks ago|tonight|tomorrow|next week|next month|soon|when I was young|
back in college|after work|before breakfast|on my birthday|last Tuesday|the other day|at the end of June"""
# Base, past and -ing form, so that one deed can be told, asked and planned.
DEEDS = """go went going|hiking in the hills;swimming in the lake;shopping for shoes;to the dentist;to a job interview;on a road trip;to the movies;to therapy
buy bought buying|a new laptop;a used car;flowers;a house;concert tickets;groceries;a present for mum;a winter coat
make made making|a birthday cake;a quilt;soup;a short film;a wooden bench;a mistake at work;new friends
write wrote writing|a novel;a song;a letter to the landlord;a blog post;an essay on history;a speech for the wedding
lose lost losing|my passport;ten kilos;the final match;my grandmother;interest in football;the house keys
find found finding|a stray cat;a new apartment;a better job;an old photo album;a good doctor
start started starting|a company;a vegetable garden;guitar lessons;a new diet;a charity;university;running again
finish finished finishing|the marathon;the thesis;the puzzle;the renovation;a painting;the treatment
visit visited visiting|my grandparents;the aquarium;an art gallery;Japan;the old castle;a national park;my brother in hospital
learn learned learning|French;to drive;to play the drums;first aid;about astronomy;to bake bread;sign language
teach taught teaching|a yoga class;my son to ride a bike;maths at school;coding to kids
adopt adopted adopting|a rescue dog;two kittens;a child;a healthier lifestyle
break broke breaking|my arm;the window;up with my partner;my phone;a promise;the record
fix fixed fixing|the leaking tap;my bike;a bug in the app;the fence;the old radio
cook cooked cooking|a curry;dinner for twelve people;pancakes with the kids;vegan lasagne
read read reading|a book about trees;a fantasy series;poems;the news about the election;my old diary
watch watched watching|a documentary about whales;the sunrise;a horror film;the football final;a stand-up show
play played playing|chess with grandpa;the violin;in a band;basketball on Sundays;a video game all night
paint painted painting|a portrait;the living room blue;a mural at school;watercolours
plan planned planning|a surprise party;our honeymoon;a trip to Iceland;a family reunion;my retirement
attend attended attending|a conference in Boston;a cooking workshop;a political rally;my cousin's wedding;church
join joined joining|a choir;a running club;the volunteer fire brigade;an online course;a hiking group
donate donated donating|old clothes;blood;money to the shelter;my hair
organise organised organising|a garage sale;a book club;the office party;a beach clean-up
apply applied applying|for a scholarship;for a visa;for a promotion;to art school
move moved moving|to Berlin;in with my girlfriend;back to my home town;to the countryside;the piano upstairs
repair repaired repairing|the roof;a vintage car;our friendship;the washing machine
win won winning|the chess tournament;a scholarship;an award for my photos;the lottery;a dance contest
miss missed missing|my flight;my sister's birthday;the deadline;my home country
call called calling|the insurance company;my mother every Sunday;an ambulance;the school
book booked booking|a table for four;a cabin in the woods;a flight to Rome;a massage
sell sold selling|my paintings online;the motorbike;lemonade;the family farm
suffer suffered suffering|from migraines;from insomnia;an injury at training;from a nut allergy
get got getting|a tattoo of a bird;engaged at the beach;vaccinated;fired;a raise;stuck in traffic;a new passport;divorced
take took taking|a drawing class;photos of birds;my medicine late;a gap year;the kids to the zoo;care of my father
see saw seeing|a shooting star;a play by Shakespeare;an old classmate;a doctor about my knee"""
FEEL = """happy|sad|proud|nervous|tired|excited|grateful|angry|lonely|relieved|worried|calm|inspired|disappointed|surprised|stressed|
hopeful|bored|embarrassed|jealous|homesick|confident|overwhelmed|thankful|scared|curious"""
WHY = """it helps me relax|it was too expensive|the doctor told me to|I needed a change|it reminds me of home|we had been planning it for ages|
the weather was awful|my back hurts|I want to be healthier|the old one broke|nobody else could|it was on sale|I promised it|
the deadline moved|the flight was cancelled|they were out of stock|it rained all day|I love being outdoors|my family supports me"""

POOLS = {key: [part.strip() for part in value.replace("\n", "").split("|")] for key, value in
         {"kin": KIN, "place": PLACE, "do": DO, "did": DID, "thing": THING, "like": LIKE, "when": WHEN, "feel": FEEL, "why": WHY}.items()}
POOLS["name"] = NAMES

STATEMENTS = """I went to {place} with {kin} {when}.|{name} {did} {when}.|{kin} {did} {when}.|I love {like}.|{name} really likes {like}.|
I'm allergic to {like}.|I'm trying to {do}.|{name} wants to {do} {when}.|We are going to {place} {when}.|I feel {feel} because {why}.|
{name} bought {thing} {when}.|{kin} gave me {thing} {when}.|I {did} {when}, and I was so {feel}.|I can't wait to {do}!|
I used to {do}, but {why}.|{kin} told me to {do}.|My favourite is {like}.|{name} and I {did} together.|I have been to {place} twice.|
Remember that {name} lives near {place}.|I decided to {do} since {why}.|We met at {place} {when}.|It was {feel} to see {name} at {place}.|
{name} works at {place}.|I stopped going to {place} because {why}.|{name}'s birthday is {when}.|I lost {thing} at {place}.|
I prefer {like} to {like}.|{kin} is {feel} about {place}.|Let's {do} {when}.|I need to {do} {when}.|I've been feeling {feel} lately.|
{name} is learning to {do}.|I made {thing} for {kin}.|The best part of {place} was {like}."""
QUESTIONS = """When did {name} go to {place}?|What did {name} buy {when}?|Who went to {place} with {name}?|Why did {name} {do}?|
What does {name} like?|Does {name} like {like}?|Where did {name} and {name} meet?|How did {name} feel about {place}?|
What is {name} planning to do {when}?|Which gift did {name} give to {kin}?|How long has {name} been trying to {do}?|
What hobbies does {name} have?|Where does {name} work?|Who gave {name} {thing}?|When is {name}'s birthday?|
What did {name} do after {place}?|Has {name} ever been to {place}?|What made {name} {feel}?|Did {name} {do} {when}?|
How often does {name} {do}?|What kind of music does {name} listen to?|How was {place}?|Do you want to {do} {when}?|
What happened at {place}?|Would {name} enjoy {like}?|What advice did {name} give about how to {do}?"""
# With any word of the vocabulary, so that each is met in talk at least a few times.
OPEN_STATEMENTS = """{name} told me about the {word} and the {word}.|I bought a {word} {when}.|My {word} is at {place}.|I really like {word}.|
{name} is into {word} these days.|We talked about {word} for hours.|I had never seen a {word} before.|{kin} is afraid of the {word}.|
The {word} was the best part of the trip.|I keep thinking about {word} and {word}.|{name} has a {word} and wants to {do}.|
I dreamt of a {word} {when}.|For me it is all about {word}.|There was a {word} at {place}.|Someone stole the {word} from {place}.|
I'd rather have {word} than {word}.|{name} called to ask about the {word}.|I read a book on {word} {when}.|The {word} broke, so I will {do}."""
OPEN_QUESTIONS = """What did {name} say about the {word}?|Who has a {word}?|Why does {name} care about {word}?|When did {name} get the {word}?|
Where is the {word}?|Did {name} ever mention {word}?|What happened to the {word} at {place}?|Which {word} does {name} prefer?|
How does {name} feel about {word} and {word}?|Is {name} interested in {word}?"""
REPLIES = """That's great!|Wow, congratulations!|I'm sorry to hear that.|Thanks, {name}!|Sounds like fun.|Good for you!|How are you?|
Oh no, what happened?|I'm so proud of you.|Take care!|That must have been hard.|Hey {name}, long time no see!|Good luck with that!"""
STATEMENT, QUESTION, OPEN_STATEMENT, OPEN_QUESTION, REPLY = (
    [part.strip() for part in value.replace("\n", "").split("|")]
    for value in (STATEMENTS, QUESTIONS, OPEN_STATEMENTS, OPEN_QUESTIONS, REPLIES)
)


def read_deeds():
    """Pairs of verb forms and what is done: ({"do", "did", "doing"}, object)."""
    for line in DEEDS.splitlines():
        forms, objects = line.split("|")
        base, past, progressive = forms.split(" ")
        for thing in objects.split(";"):
            yield {"do": f"{base} {thing}", "did": f"{past} {thing}", "doing": f"{progressive} {thing}"}


DEED = list(read_deeds())
DEED_STATEMENTS = """I {did} {when}.|{name} {did} {when}.|I'm {doing} {when}.|{name} and {kin} {did} together.|I can't believe I {did}!|
{kin} {did} {when} and was so {feel}.|I've always wanted to {do}.|{name} suggested to {do}.|I enjoy {doing}.|I gave up {doing} because {why}.|
After {doing} I felt {feel}.|Last time I {did}, {why}.|We are thinking of {doing} {when}.|My dream is to {do} one day.|{name} hates {doing}.|
I {did} {when}, then I {did2}.|{name} {did} instead of {doing2}.|I never {did} before, so I was {feel}.|{kin} helped me to {do}.|
I have to {do} {when}, don't let me forget.|Yes, I {did}! It was amazing.|{name} asked whether I {did}.|{kin} is {doing} right now."""
DEED_QUESTIONS = """When did {name} {do}?|Why did {name} {do}?|Who {did} {when}?|Has {name} {did}?|How did {name} feel after {doing}?|
Where did {name} {do}?|Is {name} planning to {do}?|What did {name} do before {doing}?|Did {kin} {do} or {do2}?|
How long has {name} been {doing}?|With whom did {name} {do}?|What happened when {name} {did}?|Does {name} like {doing}?"""
DEED_STATEMENT, DEED_QUESTION = (
    [part.strip() for part in value.replace("\n", "").split("|")] for value in (DEED_STATEMENTS, DEED_QUESTIONS)
)


def tell(template, chance):
    """Fills in a deed, and a second one where the template has room for it, before the rest."""
    first, second = chance.sample(DEED, 2)
    for form, text in first.items():
        template = template.replace(f"{{{form}}}", text)
    for form, text in second.items():
        template = template.replace(f"{{{form}2}}", text)
    return fill(template, chance)


def fill(template, chance):
    while "{" in template:
        start, end = template.index("{"), template.index("}")
        template = template[:start] + chance.choice(POOLS[template[start + 1 : end]]) + template[end + 1 :]
    return template[0].upper() + template[1:]


def sentences(count, words, seed=11):
    """Single statements and questions, and turns of two or three sentences, some with their speaker."""
    POOLS["word"] = words
    chance = random.Random(seed)
    kinds = (
        (lambda: fill(chance.choice(STATEMENT), chance), lambda: fill(chance.choice(QUESTION), chance)),
        (lambda: fill(chance.choice(OPEN_STATEMENT), chance), lambda: fill(chance.choice(OPEN_QUESTION), chance)),
        (lambda: tell(chance.choice(DEED_STATEMENT), chance), lambda: tell(chance.choice(DEED_QUESTION), chance)),
    )
    for _ in range(count):
        state, ask = chance.choices(kinds, (2, 4, 4))[0]
        parts = [state() for _ in range(chance.choice((1, 1, 2, 3)))]
        kind = chance.random()
        if kind < 0.4:
            yield ask()
        elif kind < 0.6:
            yield " ".join([fill(chance.choice(REPLY), chance), *parts])
        elif kind < 0.8:
            yield f"{chance.choice(NAMES)}: {' '.join(parts)}"
        else:
            yield " ".join(parts)
