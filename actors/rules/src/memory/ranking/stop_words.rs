//! Words that say how a sentence hangs together and nothing about what it is about, in the languages people most often
//! write to Sentient in.
//!
//! In the form in which words are compared: lower case, without accents, letters and their marks apart. A word that is a
//! stop word in one language and a word in another (German `die`, English `die`) counts as a stop word: a memory is found
//! by its other words.

use std::collections::HashSet;
use std::sync::LazyLock;

const ENGLISH: &str = "\
a about above after again all also am an and any are aren as at be because been before being below between \
both but by can cannot could couldn did didn do does doesn doing don down during each ever few for from \
further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn \
it its itself just ll let me might more most mustn my myself no nor not now of off on once only or other our \
ours ourselves out over own please re same shall she should shouldn so some such than that the their theirs \
them themselves then there these they this those through to too under until up us ve very was wasn we were \
weren what when where which while who whom whose why will with won would wouldn you your yours yourself";
const GERMAN: &str = "\
aber alle als also am an auch auf aus bei bin bis bist da das dass dein deine dem den denn der des dich die \
dies diese dieser dir doch du ein eine einem einen einer eines er es euch euer fur habe haben hat hatte hier \
ich ihm ihn ihr ihre im in ist ja jetzt kann kein keine man mein meine mich mir mit nach nicht noch nur oder \
ob ohne schon sehr sein seine sich sie sind so und uns unser unter vom von vor wann war waren warum was weil \
wenn wer werden wie wir wird wo wohin zu zum zur";
const FRENCH: &str = "\
au aux avec ce ces cette comme dans de des donc du elle elles en est et etait ete etre eu il ils je la le les \
leur lui ma mais me meme mes moi mon ne nos notre nous on ont ou par pas pour pourquoi qu quand que quel \
quelle qui sa sans se ses son sont sur ta te tes toi ton tu un une vos votre vous";
const SPANISH: &str = "\
al como con cual cuando de del donde el ella ellas ellos en era es esa ese eso esta estan este esto estos fue \
ha hay la las le les lo los mas me mi mis muy nos nosotros o para pero por porque que quien se ser si sin \
sobre son su sus te tiene tu tus un una unas unos y ya yo";
const PORTUGUESE: &str = "\
ao aos as com como da das de dele dela do dos e ela elas ele eles em era essa esse esta este eu foi isso ja \
mais mas meu minha na nao nas no nos o onde os ou para pela pelo por porque quando que quem se sem ser seu \
seus sua suas tem uma voce";
const ITALIAN: &str = "\
anche che chi come con cosa cui da dal dalla dei del della delle di dove e ed era gli ha hanno ho il io la le \
lei lo loro lui ma mi mia mio nel nella noi non per perche piu quale quando questa questo sei si sono sua suo \
ti tra tu un una uno voi";
const RUSSIAN: &str = "\
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще \
нет о из ему теперь когда даже ну ли если уже или ни быть был него до вас вам ведь там потом себя еи они тут \
где есть надо для мы тебя их чем была сам чтоб без раз тоже себе под будет кто этот того потому этого какои";
const HINDI: &str = "\
का के की को से में पर और है हैं था थे थी हो हूँ हूं ने भी ही तो यह वह ये वे इस उस इन उन मैं मेरा मेरी मेरे हम \
हमारा हमारी हमारे तुम आप आपका आपकी आपके उसका उसकी उसके उनका उनकी उनके क्या कौन कहाँ कहां कब क्यों कैसे कितना \
कितने कितनी जो कि या नहीं एक कर करता करती करते किया रहा रही रहे गया गई गए लिए साथ तक अब अपना अपनी अपने कोई कुछ";
const ARABIC: &str = "\
في من على الى إلى عن مع هذا هذه ذلك التي الذي ما ماذا متى اين أين كيف هل لا لم لن ان أن إن كان كانت هو هي \
هم انا أنا نحن انت أنت او أو ثم قد كل لماذا";

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    [ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN, HINDI, ARABIC]
        .into_iter()
        .flat_map(str::split_whitespace)
        .collect()
});

/// Whether a word says nothing by itself.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_its_own() {
        for word in ["the", "fur", "pourquoi", "cuando", "nao", "perche", "чтоб", "में", "لماذا"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["maya", "माया", "москва", "دبي", ""] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
